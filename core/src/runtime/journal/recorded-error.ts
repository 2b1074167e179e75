import type { ErrorInfo } from '../../contracts/error-info.ts'
import { type ErrorCode, LimitError, ProviderError, SvcError } from '../../errors.ts'

/** A recorded failure as it was thrown. */
export function toRecordedError({ code, message, retryable }: ErrorInfo): SvcError {
  const known = new SvcError(code as ErrorCode, message, { retryable })
  if (known.exitCode === 5) return new ProviderError(known.code, message, { provider: 'recorded', retryable })
  return known.exitCode === 6 ? new LimitError(known.code, message) : known
}
