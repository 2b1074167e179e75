import { ConnectionError, createError, type FieldError, isErrorCode, type SvcError } from '@svc/core/client'

/** Error answers that another try may change, where the server does not say so itself. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** An error answer, as the error that an embedded runtime would have thrown. */
export async function readProblem(response: Response): Promise<SvcError> {
  const { status, headers } = response
  const problem = await readJson(response)
  const requestId = headers.get('x-request-id') ?? undefined
  const retryAfterMs = toMs(headers.get('retry-after'))
  const details = {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
  const said = headers.get('x-should-retry')
  const retryable = said === 'true' || (said !== 'false' && isPassing(status))
  const { code, detail, errors } = problem
  if (isErrorCode(code)) {
    const fields = Array.isArray(errors) ? { errors: errors as FieldError[] } : {}
    return createError(code, String(detail ?? code), { retryable, details, ...fields })
  }
  const message = `${new URL(response.url).origin} answered ${status}, which is no answer of a svc server: is the address right?`
  return status === 401 || status === 407
    ? createError('unauthenticated', message, { details })
    : new ConnectionError('connection_failed', message, { retryable, details })
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await response.json()
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** `Retry-After`: seconds, or a date. */
function toMs(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  const seconds = Number(text)
  const ms = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
