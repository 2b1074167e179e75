import { formatCount } from '../../parts/format.ts'
import { nameOf } from '../../state/talk.ts'
import type { ShownRun } from '../shown-run.ts'
import { Bar } from './bar.tsx'
import { BurnChart } from './burn-chart.tsx'

/** What was spent: by each agent against its share, and by the run over time against its limits. */
export function Budget({ shown }: { shown: ShownRun }) {
  const { burn, view } = shown.state
  const agents = [...burn.agents.values()]
  if (agents.length === 0) return null
  const spent = burn.total.at(-1)?.tokens ?? 0
  const most = Math.max(1, ...agents.map(({ share = 0, points }) => Math.max(share, points.at(-1)?.tokens ?? 0)))
  return (
    <section class="card" aria-labelledby="budget-title">
      <header>
        <h2 id="budget-title">Budget</h2>
        <span class="soft">{inWords(spent, burn.soft, burn.hard)}</span>
      </header>
      <div class="body budget">
        <div>
          <h3>Tokens by agent</h3>
          <ul class="gauges">
            {agents.map(({ agentId, share, points }) => {
              const tokens = points.at(-1)?.tokens ?? 0
              const name = nameOf(view, agentId)
              const isOver = share !== undefined && tokens > share
              return (
                <Bar
                  key={agentId}
                  label={name}
                  value={tokens}
                  of={share ?? most}
                  tone={isOver ? 'over' : 'accent'}
                  text={
                    share === undefined
                      ? `${formatCount(tokens)}, no share`
                      : `${formatCount(tokens)} of ${formatCount(share)}${isOver ? ', over its share' : ''}`
                  }
                />
              )
            })}
          </ul>
        </div>
        {burn.total.length > 0 && <BurnChart shown={shown} />}
      </div>
    </section>
  )
}

function inWords(spent: number, soft: number | undefined, hard: number | undefined): string {
  const words = [`${formatCount(spent)} tokens spent`]
  if (soft !== undefined) words.push(`no new step from ${formatCount(soft)} (soft limit)`)
  if (hard !== undefined) words.push(`no new call from ${formatCount(hard)} (hard limit)`)
  return words.join('; ')
}
