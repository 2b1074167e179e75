import { formatCount, formatShort, plural } from '../../parts/format.ts'
import { type Burn, type BurnPoint, ceilingOf } from '../../state/burn.ts'
import type { RunState } from '../../state/run-state.ts'
import { nameOf } from '../../state/talk.ts'
import { ticksOf } from '../timeline/axis.ts'
import { colourOfAgent } from './colour-of-agent.ts'

/** A shorter run has room to its right, in milliseconds. */
const SHORTEST_MS = 100

/** Tokens over time: the run in a thick line, each agent in a thin one, the limits across. */
export function BurnChart({ burn, state: { view, startedAt } }: { burn: Burn; state: RunState }) {
  const { at: end, tokens: spent } = burn.total.at(-1) ?? { at: startedAt, tokens: 0 }
  const agents = burn.agents.filter(({ points }) => points.length > 0)
  const to = Math.max(end, startedAt + SHORTEST_MS)
  const top = ceilingOf(spent, [burn.soft, burn.hard])
  const limits = [
    { name: 'soft limit', tokens: burn.soft },
    { name: 'hard limit', tokens: burn.hard },
  ].flatMap(({ name, tokens }) => (tokens === undefined ? [] : [{ name, tokens, isInSight: tokens <= top }]))
  const line = (points: readonly BurnPoint[]): string =>
    points.reduce(
      (path, { at, tokens }) => `${path}H${((at - startedAt) / (to - startedAt)) * 100}V${100 - (tokens / top) * 100}`,
      'M0,100',
    )
  const text = ({ name, tokens }: { name: string; tokens: number }): string => `${name}, ${formatShort(tokens)} tokens`
  return (
    <figure class="burn">
      <div class="burn-plot tiny" aria-hidden="true">
        {roundSteps(top).map((tokens) => (
          <span key={tokens} class="burn-row" style={{ bottom: `${(tokens / top) * 100}%` }}>
            <i>{formatShort(tokens)}</i>
          </span>
        ))}
        {ticksOf({ from: startedAt, to }, startedAt, 9).map(({ part, label }) => (
          <span key={label} class="burn-column" style={{ left: `${part * 100}%` }}>
            <i data-at-end={part > 0.9}>{label}</i>
          </span>
        ))}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          {agents.map(({ agentId, points }, index) => (
            <path key={agentId} d={`${line(points)}H100`} style={{ stroke: colourOfAgent(index) }} />
          ))}
          <path class="burn-run" d={`${line(burn.total)}H100`} />
        </svg>
        {limits
          .filter(({ isInSight }) => isInSight)
          .map((limit) => (
            <b key={limit.name} data-limit={limit.name} style={{ bottom: `${(limit.tokens / top) * 100}%` }}>
              {text(limit)}
            </b>
          ))}
        <div class="burn-above">
          {limits
            .filter(({ isInSight }) => !isInSight)
            .map((limit) => (
              <span key={limit.name} data-limit={limit.name}>
                ↑ {text(limit)}
              </span>
            ))}
        </div>
      </div>
      <figcaption class="small soft">
        Tokens over time{agents.length > 1 && ': thick the whole run, thin each agent'}. After{' '}
        {((end - startedAt) / 1_000).toFixed(1)} s {formatCount(spent)} tokens were spent by{' '}
        {plural(agents.length, 'agent')}:{' '}
        {agents
          .map(({ agentId, points }) => `${nameOf(view, agentId)} ${formatCount(points.at(-1)?.tokens ?? 0)}`)
          .join(', ')}
        .
      </figcaption>
    </figure>
  )
}

/** Round numbers from 0 to the top, about four of them. */
function roundSteps(top: number): number[] {
  const rough = 10 ** Math.floor(Math.log10(top / 4))
  const step = Math.max(1, rough * ([1, 2, 5, 10].find((factor) => top / (rough * factor) <= 5) ?? 10))
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step)
}
