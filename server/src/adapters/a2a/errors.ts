import type { ServerResponse } from 'node:http'
import { type ErrorCode, type FieldError, NotFoundError, SvcError, ValidationError } from '@svc/core'
import type { Problem } from '../../http/problem.ts'
import { noteProblem } from '../../http/send.ts'

/** Errors of the protocol: their codes in JSON-RPC, and how HTTP+JSON names their kind. */
const REASONS = {
  TASK_NOT_FOUND: [-32001, 'NOT_FOUND'],
  TASK_NOT_CANCELABLE: [-32002, 'FAILED_PRECONDITION'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 'FAILED_PRECONDITION'],
  UNSUPPORTED_OPERATION: [-32004, 'FAILED_PRECONDITION'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 'INVALID_ARGUMENT'],
  VERSION_NOT_SUPPORTED: [-32009, 'FAILED_PRECONDITION'],
  PARSE_ERROR: [-32700, 'INVALID_ARGUMENT'],
  INVALID_REQUEST: [-32600, 'INVALID_ARGUMENT'],
  METHOD_NOT_FOUND: [-32601, 'UNIMPLEMENTED'],
  INVALID_PARAMS: [-32602, 'INVALID_ARGUMENT'],
  INTERNAL_ERROR: [-32603, 'INTERNAL'],
} as const
export type Reason = keyof typeof REASONS

const OF_CODES: Partial<Record<ErrorCode, Reason>> = {
  run_not_found: 'TASK_NOT_FOUND',
  invalid_json: 'PARSE_ERROR',
  unsupported_media_type: 'CONTENT_TYPE_NOT_SUPPORTED',
  internal_error: 'INTERNAL_ERROR',
}

/** Of errors that only svc has. */
const OTHER_CODE = -32000
const OTHER_STATUS: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  421: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

/** An error of the protocol. */
export const refusal = (reason: Reason, message: string, errors: FieldError[] = []): SvcError => {
  const options = { details: { a2a: reason }, ...(errors.length > 0 && { errors }) }
  return reason === 'TASK_NOT_FOUND'
    ? new NotFoundError('run_not_found', message, options)
    : new ValidationError('validation_failed', message, options)
}

/** A field that is wrong: its path as JSON has it, such as `message.parts`. */
export const badField = (path: string, message: string): SvcError =>
  refusal('INVALID_PARAMS', `${path}: ${message}`, [{ path, message }])

/** Operations on push notifications, which are not sent. */
export const refusePush = async (): Promise<never> => {
  throw refusal('PUSH_NOTIFICATION_NOT_SUPPORTED', 'push notifications are not sent: get the task, or subscribe to it')
}

/** `GetExtendedAgentCard`. */
export const refuseExtendedCard = async (): Promise<never> => {
  throw refusal('UNSUPPORTED_OPERATION', 'there is no extended agent card: /.well-known/agent-card.json has all')
}

const reasonIn = (error: SvcError): Reason | undefined => error.details?.a2a as Reason | undefined

/** What the frame of the server says of a problem, with the protocol's own name for it. */
export interface A2aProblem extends Pick<Problem, 'code' | 'status' | 'detail' | 'requestId' | 'errors'> {
  reason?: Reason | undefined
}

/** A problem that a request of a client came to, noted in the log. */
export const toA2aProblem = (thrown: unknown, response: ServerResponse): A2aProblem => ({
  ...noteProblem(thrown, response),
  reason: SvcError.isInstance(thrown) ? reasonIn(thrown) : undefined,
})

const reasonOf = ({ reason, code, status }: A2aProblem): Reason | undefined =>
  reason ?? OF_CODES[code] ?? (status === 400 ? 'INVALID_PARAMS' : undefined)

const GOOGLE = 'type.googleapis.com/google.rpc'

function detailsOf(problem: A2aProblem): object[] {
  const { code, requestId, errors = [] } = problem
  const reason = reasonOf(problem)
  const info =
    reason === undefined ? { reason: code.toUpperCase(), domain: 'svc.dev' } : { reason, domain: 'a2a-protocol.org' }
  const fieldViolations = errors.map(({ path, message }) => ({
    field: path.replace(/^\//, '').replaceAll('/', '.'),
    description: message,
  }))
  return [
    { '@type': `${GOOGLE}.ErrorInfo`, ...info, metadata: { code, requestId } },
    ...(fieldViolations.length > 0 ? [{ '@type': `${GOOGLE}.BadRequest`, fieldViolations }] : []),
  ]
}

/** The `error` of a JSON-RPC response. */
export function toRpcError(problem: A2aProblem): { code: number; message: string; data: object[] } {
  const reason = reasonOf(problem)
  const code = reason === undefined ? OTHER_CODE : REASONS[reason][0]
  return { code, message: problem.detail, data: detailsOf(problem) }
}

/** The body of a refused request of HTTP+JSON, a `google.rpc.Status`. */
export function toRestError(problem: A2aProblem): { error: object } {
  const reason = reasonOf(problem)
  const { status: code, detail: message } = problem
  const other = OTHER_STATUS[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
  const status = reason === undefined ? other : REASONS[reason][1]
  return { error: { code, status, message, details: detailsOf(problem) } }
}
