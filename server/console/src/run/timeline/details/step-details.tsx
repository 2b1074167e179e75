import { formatCount, formatDuration } from '../../../parts/format.ts'
import { LongText } from '../../../parts/text.tsx'
import { allOf, newest } from '../span-events.ts'
import type { DetailsProps } from './details-props.ts'
import { Facts } from './facts.tsx'

/** A step of the plan: what it was for, when it was done, and what came out. */
export function StepDetails({ span, events, shown: { state } }: DetailsProps) {
  const started = newest(events, 'step.started')?.data
  const completed = newest(events, 'step.completed')?.data
  const failed = newest(events, 'step.failed')?.data
  const skipped = newest(events, 'step.skipped')?.data
  const retries = allOf(events, 'step.retrying')
  const planned = state.view.plan?.steps.find(({ id }) => id === span.stepId)
  const acceptance = completed?.acceptance ?? planned?.acceptance ?? []
  return (
    <>
      <section class="stack tight">
        <h3>Objective</h3>
        <LongText text={started?.objective ?? planned?.objective ?? ''} label="Objective of the step" tone="prose" />
      </section>
      <Facts
        facts={[
          ['Needs', started?.dependsOn.join(', ')],
          ['Tries', `${formatCount(retries.length + 1)}${planned ? ` of ${formatCount(planned.maxTries)}` : ''}`],
          ['Tokens', span.tokens > 0 ? formatCount(span.tokens) : undefined],
          ['Forecast', planned === undefined ? undefined : `${formatCount(planned.estimatedTokens)} tokens`],
          ['Ended with', completed?.finishReason],
          ['Skipped', skipped?.why],
        ]}
      />
      {acceptance.length > 0 && (
        <section class="stack tight">
          <h3>Done when</h3>
          <ul class="small dotted">
            {acceptance.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
      {retries.length > 0 && (
        <section class="stack tight">
          <h3>Tried again</h3>
          <ul class="small dotted">
            {retries.map(({ seq, data: { tries, delayMs, error, check } }) => (
              <li key={seq}>
                Try {tries} after {formatDuration(delayMs)}:{' '}
                {error === undefined
                  ? (check?.evidence ?? 'the last one was not good enough')
                  : `${error.message} (${error.code})`}
              </li>
            ))}
          </ul>
        </section>
      )}
      {failed !== undefined && (
        <p class="error-text">
          {failed.error.message} <span class="mono tiny">{failed.error.code}</span>
        </p>
      )}
      {completed !== undefined && (
        <section class="stack tight">
          <h3>Output</h3>
          <LongText text={completed.output} label="Output of the step" tone="prose" />
        </section>
      )}
    </>
  )
}
