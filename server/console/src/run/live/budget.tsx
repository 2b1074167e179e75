import { Card } from '../../parts/card.tsx'
import { formatCount } from '../../parts/format.ts'
import { burnOf } from '../../state/burn.ts'
import { nameOf } from '../../state/talk.ts'
import type { ShownRun } from '../shown-run.ts'
import { BurnChart } from './burn-chart.tsx'
import { Gauges } from './gauges.tsx'

/** What was spent: by each agent against its share, and by the run over time against its limits. */
export function Budget({ shown }: { shown: ShownRun }) {
  const { events, created, view } = shown.state
  const burn = burnOf(events, created)
  const { agents } = burn
  if (agents.length === 0) return null
  const spentBy = (points: { tokens: number }[]): number => points.at(-1)?.tokens ?? 0
  const most = Math.max(1, ...agents.map(({ share = 0, points }) => Math.max(share, spentBy(points))))
  return (
    <Card title="Budget" note={inWords(spentBy(burn.total), burn.soft, burn.hard)}>
      <div class="body budget">
        <div>
          <h3>Tokens by agent</h3>
          <Gauges
            gauges={agents.map(({ agentId, share, points }) => {
              const value = spentBy(points)
              const isOver = share !== undefined && value > share
              const of = share === undefined ? ', no share' : ` of ${formatCount(share)}`
              return {
                label: nameOf(view, agentId),
                value,
                of: share ?? most,
                tone: isOver ? 'over' : 'accent',
                text: `${formatCount(value)}${of}${isOver ? ', over its share' : ''}`,
              }
            })}
          />
        </div>
        {burn.total.length > 0 && <BurnChart burn={burn} state={shown.state} />}
      </div>
    </Card>
  )
}

function inWords(spent: number, soft: number | undefined, hard: number | undefined): string {
  const words = [`${formatCount(spent)} tokens spent`]
  if (soft !== undefined) words.push(`no new step from ${formatCount(soft)} (soft limit)`)
  if (hard !== undefined) words.push(`no new call from ${formatCount(hard)} (hard limit)`)
  return words.join('; ')
}
