import type { RunEvent } from '@svc/core/client'
import type { Span } from '../../state/spans.ts'

/** What a model said comes right after the end of its call. */
const AFTER = 12

/** The events of a span itself, without those of spans within it. */
export function eventsOfSpan(span: Span, log: readonly RunEvent[]): RunEvent[] {
  const { seq, endSeq = log.length, kind, agentId, callId, stepId } = span
  const noun = `${kind}.`
  const events: RunEvent[] = []
  const last = Math.min(log.length, endSeq + AFTER)
  for (let index = seq - 1; index < last; index++) {
    const event = log[index]
    if (event === undefined) continue
    if (kind === 'model' || kind === 'tool' || kind === 'wait') {
      if (event.callId === callId && event.agentId === agentId) events.push(event)
      else if (isOfApproval(event, events)) events.push(event)
    } else if (index < endSeq && event.type.startsWith(noun) && (kind === 'stage' || event.stepId === stepId))
      events.push(event)
  }
  return events
}

/** An answer names the approval and not always the call. */
const isOfApproval = (event: RunEvent, before: readonly RunEvent[]): boolean =>
  (event.type === 'approval.resolved' || event.type === 'approval.expired') &&
  before.some((earlier) => earlier.type === 'approval.requested' && earlier.data.id === event.approvalId)
