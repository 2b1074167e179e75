import { type EventOf, isTerminalEvent, type RunEvent } from './event.ts'

type Reason = EventOf<'message.reset'>['data']['reason']

/**
 * What an event says about the answer that is being given: that what was said is not it (`message.reset`), or what it is
 * (`message.snapshot`, before the last event). It is made from kept events, so that no reader misses it.
 *
 * @returns undefined for any other event
 */
export function answerEventOf(event: RunEvent): EventOf<'message.reset'> | EventOf<'message.snapshot'> | undefined {
  if (isTerminalEvent(event)) {
    const { v, time, runId, threadId, data } = event
    if (!('verdict' in data.result)) return undefined // a plan, or an analysis
    const place = { v, time, runId, ...(threadId !== undefined && { threadId }) }
    return { ...place, type: 'message.snapshot', data: { textSoFar: data.result.summary } }
  }
  const reason = reasonOf(event)
  if (reason === undefined) return undefined
  const { seq: _, callId, ...place } = event
  const isOfCall = reason === 'model_failed' && callId !== undefined
  return { ...place, ...(isOfCall && { callId }), type: 'message.reset', data: { reason } }
}

function reasonOf({ type, stage }: RunEvent): Reason | undefined {
  if (type === 'step.retrying' || type === 'plan.revised') return 'retry'
  if (stage !== 'execute') return undefined
  if (type === 'tool.requested') return 'tool_call'
  return type === 'model.retrying' || type === 'model.failed' ? 'model_failed' : undefined
}

/** Whether an event was made by `answerEventOf`. */
export const isAnswerEvent = ({ type, callId }: RunEvent): boolean =>
  type === 'message.reset' || (type === 'message.snapshot' && callId === undefined)

/**
 * Puts before each event what it says about the answer of its run; none where nothing was said.
 *
 * @param saying runs of which the reader may have pieces from before
 */
export function createAnswerEvents(saying: readonly string[] = []): (event: RunEvent) => RunEvent[] {
  const runs = new Set(saying)
  return (event) => {
    const { runId, type } = event
    const added = answerEventOf(event)
    if (type === 'message.delta' || type === 'message.snapshot') runs.add(runId)
    const isSaid = (added !== undefined || isTerminalEvent(event)) && runs.delete(runId)
    if (added === undefined) return [event]
    return isSaid || (added.type === 'message.snapshot' && added.data.textSoFar !== '') ? [added, event] : [event]
  }
}
