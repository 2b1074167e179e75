import { ConfigError, ProviderError } from '@svc/core'
import { asText, isRecord, toRecord } from '../format/json.ts'
import type { VendorErrors } from '../wire/provider-error.ts'

/** A refusal in the shape in which the official clients have it. */
class AiSdkFailure extends Error {
  readonly status: number | undefined
  readonly headers: Headers
  readonly error: unknown

  constructor(message: string, status: number | undefined, headers: unknown, error: unknown) {
    super(message)
    this.status = status
    this.headers = new Headers(toRecord(headers) as Record<string, string>)
    this.error = error
  }
}

/** No package of the AI SDK throws these. */
class Never extends Error {}

export const AISDK_ERRORS: VendorErrors = {
  APIError: AiSdkFailure,
  APIConnectionError: Never,
  APIConnectionTimeoutError: Never,
}

/**
 * What a package of the AI SDK threw, as svc's wire formats throw it. Errors are known by their names: each package brings
 * classes of its own.
 */
export function fromAiSdk(thrown: unknown, provider: string): unknown {
  if (!isRecord(thrown)) return typeof thrown === 'string' ? new Error(thrown) : thrown
  const { name, statusCode, responseHeaders, responseBody, data, cause } = thrown
  const message = asText(thrown.message)
  if (name === 'AI_LoadAPIKeyError' || name === 'AI_LoadSettingError') {
    return new ConfigError('no_provider', `provider '${provider}': ${message}`, { cause: thrown })
  }
  if (name === 'AI_NoSuchModelError')
    return new ProviderError('model_not_found', `${provider}: ${message}`, { provider })
  if (name === 'AI_UnsupportedFunctionalityError' || name === 'AI_InvalidPromptError') {
    return new ProviderError('provider_bad_response', `${provider}: ${message}`, { provider, retryable: false })
  }
  if (name === 'AI_RetryError') return fromAiSdk(toRecord(thrown).lastError, provider)
  if (typeof statusCode === 'number' && statusCode >= 300) {
    return new AiSdkFailure(message, statusCode, responseHeaders, parse(responseBody) ?? data)
  }
  // An answer of success that cannot be read; without any status, the connection failed, and its cause says how.
  if (typeof statusCode === 'number' || name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') {
    return new SyntaxError(`${message} ${asText(toRecord(cause).message)}`.trim())
  }
  if (thrown instanceof Error) return thrown
  // Inside a stream errors are data.
  const { error } = thrown
  return new AiSdkFailure(message || asText(toRecord(error).message), statusOf(error ?? thrown), {}, error ?? thrown)
}

function parse(body: unknown): unknown {
  try {
    return JSON.parse(asText(body))
  } catch {
    return body
  }
}

const statusOf = (error: unknown): number | undefined => {
  const { code, status } = toRecord(error)
  return [code, status].find((each): each is number => typeof each === 'number' && each >= 300 && each < 600)
}
