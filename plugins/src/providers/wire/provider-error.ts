import { createRedactor, type ErrorCode, ProviderError, redactShapes, SvcError } from '@svc/core'
import { asText, isRecord, type Json, toList, toRecord } from '../format/json.ts'
import { toErrorText } from './error-text.ts'

type ErrorClass = abstract new (...args: never[]) => Error

/** The error classes that both official clients have, under the same names. */
export interface VendorErrors {
  readonly APIError: ErrorClass
  readonly APIConnectionError: ErrorClass
  readonly APIConnectionTimeoutError: ErrorClass
}

export interface ErrorContext {
  readonly provider: string
  /** Undefined in a question about the provider as a whole. */
  readonly model?: string | undefined
  /** Where requests go; a password in it is not said. */
  readonly baseUrl: string
  /** Values that must not stand in a message. */
  readonly secrets: readonly string[]
  /** What to do about a refused key, e.g. the variable to check. */
  readonly keyHint: string
  readonly vendor: VendorErrors
  /** How long the answer, or its head, was waited for. */
  readonly timeoutMs: number
}

const QUOTA_CODES = new Set(
  'insufficient_quota billing_hard_limit_reached billing_not_active exceeded_current_quota_error insufficient_balance'.split(
    ' ',
  ),
)
const OVERFLOW_CODES = new Set('context_length_exceeded context_window_exceeded request_too_large'.split(' '))
const OVERFLOW_TEXTS = [
  'maximum context length',
  'context length exceeded',
  'context_length_exceeded',
  'context window',
  'prompt is too long',
  'input is too long',
  'too many input tokens',
  'exceeds the available context size',
  'input token count',
  'reduce the length of the messages',
]
const FILTER_CODES = new Set(
  'content_filter content_policy_violation content_filtered ResponsibleAIPolicyViolation moderation_blocked'.split(' '),
)
const FILTER_TEXTS = [
  'content management policy',
  'content filtering policy',
  'flagged by moderation',
  'flagged as potentially violating',
]
const MODEL_CODES = new Set('model_not_found invalid_model model_not_exist'.split(' '))
const MODEL_TEXTS = ['not a valid model', 'invalid model', 'unknown model', 'model not exist', 'model not found']

/** A 403 without these is not about the key. */
const KEY_WORDS = /\b(?:api[ _-]?keys?|keys?|tokens?|credentials?|authentication|unauthenticated)\b/i

/** Type of the failure that a web page is where an answer was expected. */
export const WEB_PAGE = 'web_page'

/** Status of an error that came inside a stream, where there is none on the wire. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  api_error: 500,
  server_error: 500,
  internal_server_error: 500,
  timeout_error: 504,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  invalid_request_error: 400,
}

/** An error that came as data, inside an answer that is otherwise well-formed. */
export class WireFailure extends Error {
  readonly error: Json

  constructor(error: Json) {
    super(asText(error.message) || 'the provider failed without saying why')
    this.error = error
  }
}

/** Any thrown value of a provider call as a `ProviderError`; what svc threw on purpose stays as it is. */
export function toProviderError(thrown: unknown, context: ErrorContext): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  const { vendor, provider } = context
  if (thrown instanceof vendor.APIConnectionTimeoutError) {
    return make(context, 'provider_timeout', `the answer did not arrive within ${context.timeoutMs} ms`)
  }
  if (thrown instanceof vendor.APIConnectionError) return fromConnection(thrown, context)
  if (thrown instanceof vendor.APIError || thrown instanceof WireFailure) return fromApi(thrown, context)
  if (thrown instanceof SyntaxError) {
    return make(
      context,
      'provider_bad_response',
      `the answer is not valid JSON (${toErrorText(thrown.message, undefined)})`,
    )
  }
  if (isConnectionFailure(thrown)) return fromConnection(thrown, context)
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return new ProviderError('provider_bad_response', redact(`${provider}: ${toErrorText(text, undefined)}`, context), {
    provider,
  })
}

function fromApi(thrown: Error, context: ErrorContext): ProviderError {
  const { status, headers, error } = thrown as Error & { status?: number; headers?: unknown; error?: unknown }
  const body = toRecord(error)
  // One client hands on the whole body, the other what stands under `error` in it.
  const inner = isRecord(body.error) ? body.error : body
  const code = typeof inner.code === 'number' ? String(inner.code) : asText(inner.code)
  const type = asText(inner.type)
  const known = status ?? (toStatus(inner.code) || STATUS_OF_TYPE[type] || STATUS_OF_TYPE[code] || undefined)
  const said = asText(inner.message) || asText(body.message) || asText(error) || asText(body.error) || thrown.message
  const text = toErrorText(said, known)
  const retryAfterMs = toRetryAfterMs(headers) ?? toRetryDelayMs(inner)
  const kind = classify(known, code, type, text)
  const isKey = kind.code === 'provider_auth' && (known === 401 || KEY_WORDS.test(text))
  const hint = isKey ? `; ${context.keyHint}` : (kind.hint ?? '')
  return make(
    context,
    kind.code,
    `${known === undefined ? '' : `${known} `}${hint === '' ? text : text.replace(/\.$/, '')}${hint}`,
    {
      providerStatus: known,
      retryAfterMs,
      ...(kind.retryable === undefined ? {} : { retryable: kind.retryable }),
    },
  )
}

interface Kind {
  code: ErrorCode
  retryable?: boolean
  hint?: string
}

function classify(status: number | undefined, code: string, type: string, text: string): Kind {
  const lower = text.toLowerCase()
  const says = (texts: readonly string[]) => texts.some((each) => lower.includes(each))
  if (type === WEB_PAGE) {
    return {
      code: 'provider_bad_response',
      retryable: false,
      hint: '; that is a web page, no answer of a model: check baseUrl',
    }
  }
  if (QUOTA_CODES.has(code) || QUOTA_CODES.has(type) || status === 402) {
    return { code: 'provider_rate_limited', retryable: false, hint: '; the account has no credit left' }
  }
  if (FILTER_CODES.has(code) || FILTER_CODES.has(type) || (status !== 429 && says(FILTER_TEXTS))) {
    return { code: 'content_filtered' }
  }
  if (status === 429) return { code: 'provider_rate_limited' }
  if (status === 401 || status === 403) return { code: 'provider_auth' }
  if (status === 408) return { code: 'provider_timeout' }
  if (status === undefined || status >= 500 || status === 409 || status === 425) return { code: 'provider_unavailable' }
  if (status === 413 || OVERFLOW_CODES.has(code) || OVERFLOW_CODES.has(type) || says(OVERFLOW_TEXTS)) {
    return { code: 'context_overflow' }
  }
  if (MODEL_CODES.has(code) || says(MODEL_TEXTS) || (status === 404 && lower.includes('model'))) {
    return { code: 'model_not_found' }
  }
  if (status >= 300 && status < 400) {
    return { code: 'provider_bad_response', retryable: false, hint: '; redirects are not followed: check baseUrl' }
  }
  if (status === 404) {
    return { code: 'provider_bad_response', retryable: false, hint: '; nothing answers at this path: check baseUrl' }
  }
  return { code: 'provider_bad_response', retryable: false }
}

/** Nobody was there to speak with. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function fromConnection(thrown: unknown, context: ErrorContext): ProviderError {
  const codes = causeCodes(thrown)
  if (codes.some((code) => code.includes('TIMEOUT') || code === 'ETIMEDOUT')) {
    return make(context, 'provider_timeout', `the connection to ${addressOf(context)} timed out (${codes.join(', ')})`)
  }
  const detail = codes.length > 0 ? ` (${codes.join(', ')})` : ''
  const address = addressOf(context)
  const what = codes.some((code) => UNREACHED.has(code))
    ? `${address} was not reached`
    : `the connection to ${address} failed or was cut`
  return make(context, 'provider_unavailable', `${what}${detail}`)
}

const addressOf = ({ baseUrl }: ErrorContext): string =>
  URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'its address'

function isConnectionFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  if (causeCodes(thrown).length > 0) return true
  const text = thrown.message.toLowerCase()
  return ['terminated', 'fetch failed', 'socket hang up', 'other side closed', 'premature close'].some((each) =>
    text.includes(each),
  )
}

/** Codes such as ECONNREFUSED, of the error and of what caused it. */
function causeCodes(thrown: unknown): string[] {
  const codes: string[] = []
  let current: unknown = thrown
  for (let depth = 0; depth < 5 && isRecord(current); depth++) {
    const code = asText(current.code)
    if (/^(E[A-Z_]+|UND_ERR_[A-Z_]+|HPE_[A-Z_]+)$/.test(code) && !codes.includes(code)) codes.push(code)
    for (const each of toList(current.errors)) codes.push(...causeCodes(each).filter((one) => !codes.includes(one)))
    current = current.cause
  }
  return codes
}

function make(
  context: ErrorContext,
  code: ErrorCode,
  text: string,
  more: { providerStatus?: number | undefined; retryAfterMs?: number | undefined; retryable?: boolean } = {},
): ProviderError {
  const { provider, model } = context
  return new ProviderError(
    code,
    redact(`${model === undefined ? provider : `${provider}/${model}`}: ${text}`, context),
    { provider, ...more },
  )
}

/** `retry-after-ms`, else `retry-after` in seconds or as a date, in milliseconds from now. */
function toRetryAfterMs(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined
  const inMs = headers.get('retry-after-ms')
  if (inMs !== null && inMs.trim() !== '' && Number.isFinite(Number(inMs))) return Math.max(0, Number(inMs))
  const after = headers.get('retry-after')?.trim()
  if (after === undefined || after === '') return undefined
  if (Number.isFinite(Number(after))) return Math.max(0, Number(after) * 1000)
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** `details: [{ retryDelay: '34.5s' }]`, as Google's services write it. */
function toRetryDelayMs(error: Json): number | undefined {
  for (const detail of toList(error.details)) {
    const match = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(asText(toRecord(detail).retryDelay))
    if (match?.[1] !== undefined) return Math.ceil(Number(match[1]) * 1000)
  }
  return undefined
}

function toStatus(code: unknown): number | undefined {
  return typeof code === 'number' && code >= 400 && code <= 599 ? code : undefined
}

function redact(text: string, { secrets }: ErrorContext): string {
  return redactShapes(createRedactor(secrets)(text))
}
