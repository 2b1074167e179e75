import { formatClock, formatCount, formatDuration } from '../../../parts/format.ts'
import { JsonText, LongText } from '../../../parts/text.tsx'
import { newest } from '../span-events.ts'
import type { DetailsProps } from './details-props.ts'
import { Facts } from './facts.tsx'

const DECISIONS = { approve: 'approved', deny: 'denied', edit: 'approved with other arguments' } as const

/** A tool call, or the wait for a person before it: what was asked for, who allowed it, and what came of it. */
export function ToolDetails({ span, events, shown: { state } }: DetailsProps) {
  const requested = newest(events, 'tool.requested')?.data
  const started = newest(events, 'tool.started')?.data
  const completed = newest(events, 'tool.completed')?.data
  const failed = newest(events, 'tool.failed')?.data
  const denied = newest(events, 'tool.denied')?.data
  const asked = newest(events, 'approval.requested')?.data
  const answered = newest(events, 'approval.resolved')
  const expired = newest(events, 'approval.expired')
  const args = completed?.args ?? failed?.args ?? answered?.data.args ?? requested?.args ?? asked?.args
  const asWished = requested?.args ?? asked?.args
  const isChanged = asWished !== undefined && JSON.stringify(asWished) !== JSON.stringify(args)
  const taint = asked?.taint ?? requested?.taint
  const printed = state.toolOutput.get(`${span.agentId}|${span.callId}`)
  return (
    <>
      <Facts
        facts={[
          ['Tool', requested?.tool ?? asked?.tool],
          ['From', requested?.source],
          ['Risk', requested?.risk ?? asked?.risk],
          ['Has read', taint === undefined ? undefined : taint.length === 0 ? 'nothing untrusted' : taint.join(', ')],
          ['Sandbox', started?.sandbox],
          ['At work for', completed === undefined ? undefined : formatDuration(completed.durationMs)],
          ['Result is', completed?.trust],
          [
            'Result has',
            completed === undefined
              ? undefined
              : `${formatCount(completed.bytes)} bytes${completed.truncated ? '; the model saw its beginning' : ''}`,
          ],
        ]}
      />
      {asked !== undefined && (
        <section class="stack tight">
          <h3>Approval</h3>
          <Facts
            facts={[
              ['Asked by', asked.reason],
              [
                'Decision',
                answered !== undefined
                  ? `${DECISIONS[answered.data.decision]} by ${answered.data.by}, ${formatClock(answered.time)}`
                  : expired !== undefined
                    ? `nobody answered in time, ${formatClock(expired.time)}`
                    : 'waits',
              ],
              ['Note', answered?.data.note],
            ]}
          />
          {answered === undefined && expired === undefined && (
            <p>
              <a href={`/console/approvals/${asked.id}`}>Decide on it</a>
            </p>
          )}
        </section>
      )}
      {denied !== undefined && (
        <section class="stack tight">
          <h3>Denied</h3>
          <p>{denied.reason}</p>
          <Facts
            facts={[
              ['Rule', denied.rule],
              [
                'By',
                denied.by === 'person' ? 'a person' : denied.by === 'nobody' ? 'nobody could be asked' : denied.by,
              ],
              ['Note', denied.note],
            ]}
          />
          {denied.allowedBy !== undefined && (
            <>
              <p>A rule that would allow it, for policy.rules of the config:</p>
              <JsonText value={denied.allowedBy} label="A rule that would allow the call" />
            </>
          )}
        </section>
      )}
      {failed !== undefined && (
        <p class="error-text">
          {failed.error.message} <span class="mono tiny">{failed.error.code}</span>
        </p>
      )}
      <section class="stack tight">
        <h3>Arguments</h3>
        <JsonText value={args ?? {}} label="Arguments of the call" />
        {isChanged && (
          <>
            <h3>Arguments that were asked for</h3>
            <JsonText value={asWished} label="Arguments that were asked for" />
          </>
        )}
      </section>
      {completed !== undefined && (
        <section class="stack tight">
          <h3>Result</h3>
          <LongText text={completed.result} label="Result of the call" />
        </section>
      )}
      {completed === undefined && printed !== undefined && (
        <section class="stack tight">
          <h3>Printed so far</h3>
          <LongText text={printed} label="What the tool has printed so far" />
        </section>
      )}
    </>
  )
}
