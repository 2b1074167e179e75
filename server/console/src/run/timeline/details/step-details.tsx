import { ErrorText } from '../../../parts/error-note.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { formatCount, formatDuration } from '../../../parts/format.ts'
import { LongText } from '../../../parts/text.tsx'
import { allOf, newest } from '../../../state/events.ts'
import { type DetailsProps, Part } from './part.tsx'

/** A step of the plan: what it was for, when it was done, and what came out. */
export function StepDetails({ span, events, shown: { state } }: DetailsProps) {
  const started = newest(events, 'step.started')?.data
  const completed = newest(events, 'step.completed')?.data
  const retries = allOf(events, 'step.retrying')
  const planned = state.view.plan?.steps.find(({ id }) => id === span.stepId)
  const acceptance = completed?.acceptance ?? planned?.acceptance ?? []
  return (
    <>
      <Part title="Objective">
        <LongText text={started?.objective ?? planned?.objective ?? ''} label="Objective of the step" tone="prose" />
      </Part>
      <Facts
        of={[
          ['Needs', started?.dependsOn.join(', ')],
          ['Tries', `${formatCount(retries.length + 1)}${planned ? ` of ${formatCount(planned.maxTries)}` : ''}`],
          ['Tokens', span.tokens > 0 && formatCount(span.tokens)],
          ['Forecast', planned && `${formatCount(planned.estimatedTokens)} tokens`],
          ['Ended with', completed?.finishReason],
          ['Skipped', newest(events, 'step.skipped')?.data.why],
        ]}
      />
      {acceptance.length > 0 && (
        <Part title="Done when">
          <ul class="small dotted">
            {acceptance.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Part>
      )}
      {retries.length > 0 && (
        <Part title="Tried again">
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
        </Part>
      )}
      <ErrorText error={newest(events, 'step.failed')?.data.error} />
      {completed !== undefined && (
        <Part title="Output">
          <LongText text={completed.output} label="Output of the step" tone="prose" />
        </Part>
      )}
    </>
  )
}
