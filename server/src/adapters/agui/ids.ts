/** Ids of what a run shows, which say whose it is: they come back with the next request. */

const ulidOf = (runId: string): string => runId.slice('run_'.length)

/** Of the n-th message of a run that a response shows. @param from number of the event that the response goes on after */
export const messageId = (runId: string, from: number, count: number): string => `msg_${ulidOf(runId)}_${from}_${count}`

/** Of a call of a tool of svc's. @param seq number of its first event */
export const toolCallId = (runId: string, seq: number): string => `tool_${ulidOf(runId)}_${seq}`

/** Of a question that a run asks. */
export const questionId = (runId: string, seq: number): string => `input_${ulidOf(runId)}_${seq}`

const OWN = /^(?:msg|tool|input)_([0-9A-HJKMNP-TV-Z]{26})_/

/** The run whose message, call or question has this id; undefined for what is none of svc's. */
export function runIdOf(id: string): string | undefined {
  const ulid = OWN.exec(id)?.[1]
  return ulid === undefined ? undefined : `run_${ulid}`
}
