import { ERROR_CODES, toSvcError } from '@svc/core'
import type { Io } from '../../frame/io.ts'
import { toSafe } from '../../frame/io.ts'
import type { AcpPackage } from '../load-package.ts'

const INVALID_PARAMS = -32602
const NOT_FOUND = -32002
const INTERNAL = -32603

/** What was thrown, as an error of the protocol: a sentence for the person, and svc's code with what it is about in `data`. */
export function toRequestError(thrown: unknown, { RequestError }: AcpPackage, io: Io): Error {
  if (thrown instanceof RequestError) return thrown
  const { code, message, errors, retryable } = toSvcError(thrown)
  const { kind } = ERROR_CODES[code]
  const number = kind === 'validation' || kind === 'usage' ? INVALID_PARAMS : kind === 'notFound' ? NOT_FOUND : INTERNAL
  const data = { code, retryable, ...(errors !== undefined && errors.length > 0 && { errors }) }
  return new RequestError(number, toSafe(io.redact(message)), data)
}
