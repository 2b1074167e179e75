import type { ExperimentReport } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { Facts } from '../../parts/facts.tsx'
import { formatCost, formatCount, plural } from '../../parts/format.ts'

/** What the figures rest on, and what they say nothing about. */
export function Assumptions({ report }: { report: ExperimentReport }) {
  const { sample, seeds, scorer, replay, budget, versions, designHash, notTested } = report
  const { effect, sd, assumed } = sample.detectable
  const spread = sd === null ? '' : `, with a standard deviation of differences of ${(sd * 100).toFixed(1)} points`
  const basis = assumed
    ? ' (assumed: that of scores of 0 or 1 that are right half of the time)'
    : ' (that of the base against itself)'
  const limits = [
    ...(budget.maxTokens === undefined ? [] : [`${formatCount(budget.maxTokens)} tokens`]),
    ...(budget.maxCostUsd === undefined ? [] : [formatCost(budget.maxCostUsd)]),
  ]
  return (
    <Card title="What the figures assume">
      <div class="body stack">
        <p>
          {plural(sample.tasks, 'task')} of {formatCount(sample.families)}{' '}
          {sample.families === 1 ? 'family' : 'families'}, {plural(sample.seeds, 'seed')} each.{' '}
          {effect === null || effect >= 1
            ? 'Too few tasks, or families of tasks, to show any difference.'
            : `The sample shows a difference of ${(effect * 100).toFixed(1)} points or more in four of five experiments${spread}${basis}.`}{' '}
          {sample.setup.turns === 0
            ? 'Each run had a memory of its own, empty at its beginning.'
            : `Each run had a memory of its own; ${plural(sample.setup.tasks, 'task')} filled it first, with ${plural(sample.setup.turns, 'turn')}.`}
        </p>
        <div>
          <h3>What was not tested</h3>
          <ul class="dotted">
            {notTested.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
        <Facts
          of={[
            ['Scorer', scorer],
            ['Seeds', seeds.join(', ')],
            ['Replay', replay],
            ['Budget', limits.join(', ') || 'none'],
            [
              'Versions',
              Object.entries(versions)
                .map(([name, version]) => `${name} ${version}`)
                .join(', '),
            ],
            ['Design', <span class="mono tiny">{designHash}</span>],
          ]}
        />
      </div>
    </Card>
  )
}
