import { STATUS_CODES } from 'node:http'
import { ERROR_CODES, type ErrorCode, type FieldError, SvcError, toSvcError, ValidationError } from '@svc/core'

/** An error as it is sent (RFC 9457), without a stack. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ErrorCode
  requestId: string
  retryable: boolean
  errors?: FieldError[]
}

/** How a route of another protocol answers a problem: as JSON of its own shape. */
export type ProblemShape = (problem: Problem) => {
  body: unknown
  /** Default that of the problem. */
  status?: number
  headers?: Readonly<Record<string, string>>
}

/** What was thrown, as an error with a documented code: what express and the body parser throw has one too. */
export function toKnownError(thrown: unknown): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  const { type, status } = (thrown ?? {}) as { type?: string; status?: number }
  const known = type === undefined ? undefined : BODY_ERRORS[type]
  if (known !== undefined) return new ValidationError(known.code, known.message, { cause: thrown })
  // A path that cannot be decoded, or a body that was cut off.
  if (status === 400) return new ValidationError('validation_failed', 'the request cannot be read', { cause: thrown })
  return toSvcError(thrown)
}

const BODY_ERRORS: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  'entity.parse.failed': { code: 'invalid_json', message: 'the body is not JSON of an object or a list' },
  'entity.too.large': { code: 'body_too_large', message: 'the body is longer than this route takes' },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    message: 'the encoding of the body is not supported: send it plain, or with gzip, deflate or br',
  },
  'charset.unsupported': { code: 'unsupported_media_type', message: 'the body must be in UTF-8' },
}

export function toProblem(error: SvcError, requestId: string, instance: string): Problem {
  const { code, retryable, errors } = error
  const { status } = ERROR_CODES[code]
  return {
    type: `https://svc.dev/errors/${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    // What svc did not throw on purpose may say anything: it stays in the log.
    detail: code === 'internal_error' ? 'something went wrong inside the server: its log says more' : error.message,
    instance,
    code,
    requestId,
    retryable,
    ...(errors !== undefined && errors.length > 0 && { errors }),
  }
}

/** Seconds after which a client may ask again. */
export const retryAfterOf = ({ details }: SvcError): number =>
  typeof details?.retryAfterSeconds === 'number' ? details.retryAfterSeconds : 1
