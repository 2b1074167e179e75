import type { Comparison, ExperimentReport } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { formatCount } from '../../parts/format.ts'
import { describeFailures } from './figures.ts'

const FINDINGS: Readonly<Record<Comparison['finding'], { label: string; status: string }>> = {
  better: { label: 'better', status: 'completed' },
  worse: { label: 'worse', status: 'failed' },
  same: { label: 'same', status: 'queued' },
  open: { label: 'not enough to tell', status: 'incomplete' },
  none: { label: 'no verdict', status: 'failed' },
}

/** What failed, how far the measure itself can be trusted, and what each arm showed, in sentences. */
export function Verdicts({ report }: { report: ExperimentReport }) {
  const { sample, noise, comparisons } = report
  const { text, isAboveLimit } = describeFailures(report)
  return (
    <Card title="What it showed">
      <div class="body stack tight">
        {sample.cells < sample.planned && (
          <p class="warning">
            Preliminary: {formatCount(sample.cells)} of {formatCount(sample.planned)} runs are made. Verdicts before the
            end are right less often than they say.
          </p>
        )}
        <p class={isAboveLimit ? 'warning' : undefined}>{text}</p>
        {noise !== null && (
          <p class={noise.falseAlarm ? 'warning' : 'soft'}>
            The base against itself: {noise.verdict}
            {noise.falseAlarm && ' Two equal arms came out as different, so smaller differences below may be chance.'}
          </p>
        )}
        <dl class="verdicts">
          {comparisons.map(({ arm, finding, verdict }) => (
            <div key={arm}>
              <dt>
                <strong>{arm}</strong>{' '}
                <span class="pill" data-status={FINDINGS[finding].status}>
                  {FINDINGS[finding].label}
                </span>
              </dt>
              <dd>{verdict}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  )
}
