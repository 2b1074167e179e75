import type { ServerResponse } from 'node:http'
import type { ProblemShape } from '../problem.ts'

/** What is known of a request while it is answered, for its error, its log line and its metrics. */
export interface RequestState {
  readonly requestId: string
  readonly startedAt: number
  /** As the table names it: `/v1/runs/{id}`. */
  route: string
  /** How its problems are answered; absent: as RFC 9457 has it. */
  shape?: ProblemShape
  /** Name of who asks. */
  caller?: string
  /** Id of the run that it is about. */
  run?: string
  /** What a client gets that was refused for want of a key. */
  challenge?: () => string
  /** Of the error that was answered. */
  code?: string
  /** Of its body, unpacked. */
  bodyBytes?: number
  /** The server itself ended the connection: the client did not leave. */
  wasCut?: boolean
  /** What it streams cannot be gone on with on another connection. */
  isOnce?: boolean
  /** What was thrown by accident, for the log. */
  failure?: unknown
}

const states = new WeakMap<ServerResponse, RequestState>()

export function begin(response: ServerResponse, requestId: string): RequestState {
  const state: RequestState = { requestId, startedAt: performance.now(), route: 'unknown' }
  states.set(response, state)
  return state
}

export const stateOf = (response: ServerResponse): RequestState =>
  states.get(response) ?? begin(response, 'req_unknown')
