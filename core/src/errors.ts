/**
 * Every error that svc throws on purpose.
 *
 * Callers branch on `code`; subclasses exist only to group codes and to carry fields. The same code is the HTTP body's
 * and the other clients'.
 */
import type { ErrorInfo } from './contracts/error-info.ts'
import type { Stage } from './contracts/stages/stages.ts'

/** Which class has which codes. */
type Kind =
  | 'validation'
  | 'auth'
  | 'notFound'
  | 'conflict'
  | 'capacity'
  | 'plugin'
  | 'usage'
  | 'config'
  | 'provider'
  | 'tool'
  | 'policy'
  | 'limit'
  | 'run'
  | 'cancelled'
  | 'internal'
  | 'connection'

interface CodeFacts {
  readonly kind: Kind
  readonly status: number
  readonly retryable: boolean
  readonly exitCode: number
}

const facts = (kind: Kind, status: number, retryable: boolean, exitCode: number): CodeFacts => ({
  kind,
  status,
  retryable,
  exitCode,
})
const validation = facts('validation', 400, false, 2)
const notFound = facts('notFound', 404, false, 1)
const conflict = facts('conflict', 409, false, 1)
const plugin = facts('plugin', 500, false, 1)
const usage = facts('usage', 400, false, 2)
const config = facts('config', 500, false, 3)
const tool = facts('tool', 502, false, 1)
const policy = facts('policy', 403, false, 7)
const limit = facts('limit', 500, false, 6)
const run = facts('run', 500, false, 1)

/** HTTP status, whether a retry may help, and the exit code of the CLI, for every code. */
export const ERROR_CODES = {
  validation_failed: validation,
  invalid_cursor: validation,
  invalid_json: validation,
  json_too_deep: validation,
  body_too_large: facts('validation', 413, false, 2),
  unsupported_media_type: facts('validation', 415, false, 2),
  not_acceptable: facts('validation', 406, false, 2),
  idempotency_mismatch: facts('validation', 422, false, 2),
  unauthenticated: facts('auth', 401, false, 4),
  origin_not_allowed: facts('auth', 403, false, 4),
  host_not_allowed: facts('auth', 421, false, 4),
  run_not_found: notFound,
  thread_not_found: notFound,
  agent_not_found: notFound,
  memory_not_found: notFound,
  approval_not_found: notFound,
  tool_not_found: notFound,
  artifact_not_found: notFound,
  model_not_found: facts('notFound', 404, false, 5),
  route_not_found: notFound,
  method_not_allowed: facts('notFound', 405, false, 1),
  event_cursor_gone: facts('notFound', 410, false, 1),
  invalid_transition: conflict,
  run_active: conflict,
  agent_exists: conflict,
  approval_closed: conflict,
  version_conflict: facts('conflict', 412, false, 1),
  run_not_finished: facts('conflict', 425, false, 1),
  queue_full: facts('capacity', 429, true, 5),
  rate_limited: facts('capacity', 429, true, 5),
  too_many_streams: facts('capacity', 429, true, 5),
  shutting_down: facts('capacity', 503, true, 5),
  store_unavailable: facts('capacity', 503, true, 5),
  lease_lost: facts('capacity', 503, true, 5),
  disk_full: facts('capacity', 503, true, 5),
  stage_unanswered: plugin,
  plugin_failed: plugin,
  plugin_timeout: plugin,
  plugin_duplicate: plugin,
  plugin_answer_invalid: plugin,
  not_connected: usage,
  budget_too_small: usage,
  journal_key_reused: usage,
  config_invalid: config,
  config_untrusted: config,
  plugin_load_failed: config,
  no_provider: config,
  unknown_provider: config,
  provider_auth: facts('provider', 502, false, 5),
  provider_rate_limited: facts('provider', 429, true, 5),
  provider_unavailable: facts('provider', 502, true, 5),
  provider_bad_response: facts('provider', 502, true, 5),
  provider_timeout: facts('provider', 504, true, 5),
  context_overflow: facts('provider', 400, false, 5),
  content_filtered: facts('provider', 400, false, 5),
  tool_failed: tool,
  tool_timeout: tool,
  tool_bad_args: tool,
  tool_output_too_large: tool,
  sandbox_unavailable: tool,
  policy_denied: policy,
  approval_required: policy,
  approval_denied: policy,
  approval_expired: policy,
  ssrf_blocked: policy,
  path_outside_root: policy,
  budget_exhausted: limit,
  max_steps: limit,
  run_timeout: limit,
  loop_detected: limit,
  output_schema_mismatch: limit,
  run_failed: run,
  run_poisoned: run,
  queue_timeout: run,
  consensus_not_reached: run,
  plan_invalid: run,
  replay_diverged: run,
  log_corrupt: run,
  cancelled: facts('cancelled', 500, false, 130),
  internal_error: facts('internal', 500, false, 70),
  connection_failed: facts('connection', 502, true, 5),
  connection_timeout: facts('connection', 504, true, 5),
} as const satisfies Record<string, CodeFacts>

export type ErrorCode = keyof typeof ERROR_CODES

/** One thing wrong with an input: a JSON pointer and a sentence. */
export interface FieldError {
  path: string
  message: string
}

export interface SvcErrorOptions {
  cause?: unknown
  /** Overrides what the code says. */
  retryable?: boolean
  /** Facts for programs; never a secret. */
  details?: Record<string, unknown>
  /** What is wrong with which field. */
  errors?: FieldError[]
}

const MARK = Symbol.for('svc.error')

/** An error with a documented code. */
export class SvcError extends Error {
  readonly code: ErrorCode
  /** HTTP status. */
  readonly status: number
  readonly retryable: boolean
  /** Exit code of the CLI. */
  readonly exitCode: number
  readonly details: Record<string, unknown> | undefined
  readonly errors: FieldError[] | undefined

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    const known = ERROR_CODES[code]
    this.name = new.target.name
    this.code = code
    this.status = known.status
    this.retryable = options.retryable ?? known.retryable
    this.exitCode = known.exitCode
    this.details = options.details
    this.errors = options.errors
    Object.defineProperty(this, MARK, { value: true })
  }

  /** Whether a value is an `SvcError`, also one of another installed copy of this package. */
  static isInstance(value: unknown): value is SvcError {
    return typeof value === 'object' && value !== null && MARK in value
  }

  /** The error as data. */
  toInfo(): ErrorInfo {
    return { code: this.code, message: this.message, retryable: this.retryable }
  }
}

export class ValidationError extends SvcError {}
export class AuthError extends SvcError {}
export class NotFoundError extends SvcError {}
export class ConflictError extends SvcError {}
export class CapacityError extends SvcError {}
export class UsageError extends SvcError {}
export class ConfigError extends SvcError {}
export class ToolError extends SvcError {}
export class PolicyError extends SvcError {}
export class LimitError extends SvcError {}
export class RunError extends SvcError {}
export class CancelledError extends SvcError {}
export class InternalError extends SvcError {}
/** A client that did not reach its server. */
export class ConnectionError extends SvcError {}

/** A plugin that failed, with its name and the stage it failed in. */
export class PluginError extends SvcError {
  readonly plugin: string
  readonly stage: Stage | string

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions & { plugin: string; stage: Stage | string }) {
    super(code, message, options)
    this.plugin = options.plugin
    this.stage = options.stage
  }
}

/** A model provider that failed. */
export class ProviderError extends SvcError {
  readonly provider: string
  /** HTTP status that the provider answered, where there was one. */
  readonly providerStatus: number | undefined
  /** Milliseconds that the provider asked to wait, where it did. */
  readonly retryAfterMs: number | undefined
  /**
   * What the provider does otherwise from now on, as the config fields that make it permanent: the request was refused for
   * its shape, and the gateway may make it again at once. Never twice for the same fields in one call.
   */
  readonly learnt: readonly string[] | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: SvcErrorOptions & {
      provider: string
      providerStatus?: number | undefined
      retryAfterMs?: number | undefined
      learnt?: readonly string[] | undefined
    },
  ) {
    super(code, message, options)
    this.provider = options.provider
    this.providerStatus = options.providerStatus
    this.retryAfterMs = options.retryAfterMs
    this.learnt = options.learnt
  }
}

/** Any thrown value as an `SvcError`; what svc did not throw on purpose becomes `fallback`. */
export function toSvcError(thrown: unknown, fallback: ErrorCode = 'internal_error'): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new SvcError(fallback, message, { cause: thrown })
}

const CLASSES: Readonly<Record<Exclude<Kind, 'plugin' | 'provider'>, typeof SvcError>> = {
  validation: ValidationError,
  auth: AuthError,
  notFound: NotFoundError,
  conflict: ConflictError,
  capacity: CapacityError,
  usage: UsageError,
  config: ConfigError,
  tool: ToolError,
  policy: PolicyError,
  limit: LimitError,
  run: RunError,
  cancelled: CancelledError,
  internal: InternalError,
  connection: ConnectionError,
}

/** An error of the class that its code has, from data: plugin, stage and provider are not known then. */
export function createError(code: ErrorCode, message: string, options: SvcErrorOptions = {}): SvcError {
  const { kind } = ERROR_CODES[code]
  if (kind === 'plugin') return new PluginError(code, message, { ...options, plugin: '', stage: '' })
  if (kind === 'provider') return new ProviderError(code, message, { ...options, provider: '' })
  return new CLASSES[kind](code, message, options)
}

/** Whether a word is a documented code. */
export const isErrorCode = (word: unknown): word is ErrorCode =>
  typeof word === 'string' && Object.hasOwn(ERROR_CODES, word)
