import { ErrorText } from '../../../parts/error-note.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { formatClock, formatCount, formatDuration } from '../../../parts/format.ts'
import { JsonText, LongText } from '../../../parts/text.tsx'
import { newest } from '../../../state/events.ts'
import { type DetailsProps, Part } from './part.tsx'

const DECISIONS = { approve: 'approved', deny: 'denied', edit: 'approved with other arguments' } as const
const DENIERS = { person: 'a person', nobody: 'nobody could be asked', rule: 'rule' } as const

/** A tool call, or the wait for a person before it: what was asked for, who allowed it, and what came of it. */
export function ToolDetails({ span, events, shown: { state } }: DetailsProps) {
  const requested = newest(events, 'tool.requested')?.data
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
  const decided =
    answered && `${DECISIONS[answered.data.decision]} by ${answered.data.by}, ${formatClock(answered.time)}`
  const missed = expired && `nobody answered in time, ${formatClock(expired.time)}`
  return (
    <>
      <Facts
        of={[
          ['Tool', requested?.tool ?? asked?.tool],
          ['From', requested?.source],
          ['Risk', requested?.risk ?? asked?.risk],
          ['Has read', taint && (taint.join(', ') || 'nothing untrusted')],
          ['Sandbox', newest(events, 'tool.started')?.data.sandbox],
          ['At work for', completed && formatDuration(completed.durationMs)],
          ['Result is', completed?.trust],
          [
            'Result has',
            completed &&
              `${formatCount(completed.bytes)} bytes${completed.truncated ? '; the model saw its beginning' : ''}`,
          ],
        ]}
      />
      {asked !== undefined && (
        <Part title="Approval">
          <Facts
            of={[
              ['Asked by', asked.reason],
              ['Decision', decided ?? missed ?? 'waits'],
              ['Note', answered?.data.note],
            ]}
          />
          {answered === undefined && expired === undefined && (
            <p>
              <a href={`/console/approvals/${asked.id}`}>Decide on it</a>
            </p>
          )}
        </Part>
      )}
      {denied !== undefined && (
        <Part title="Denied">
          <p>{denied.reason}</p>
          <Facts
            of={[
              ['Rule', denied.rule],
              ['By', denied.by && DENIERS[denied.by]],
              ['Note', denied.note],
            ]}
          />
          {denied.allowedBy !== undefined && (
            <>
              <p>A rule that would allow it, for policy.rules of the config:</p>
              <JsonText value={denied.allowedBy} label="A rule that would allow the call" />
            </>
          )}
        </Part>
      )}
      <ErrorText error={failed?.error} />
      <Part title="Arguments">
        <JsonText value={args ?? {}} label="Arguments of the call" />
      </Part>
      {isChanged && (
        <Part title="Arguments that were asked for">
          <JsonText value={asWished} label="Arguments that were asked for" />
        </Part>
      )}
      {completed !== undefined && (
        <Part title="Result">
          <LongText text={completed.result} label="Result of the call" />
        </Part>
      )}
      {completed === undefined && printed !== undefined && (
        <Part title="Printed so far">
          <LongText text={printed} label="What the tool has printed so far" />
        </Part>
      )}
    </>
  )
}
