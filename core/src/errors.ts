/**
 * Every error that svc throws on purpose.
 *
 * Callers branch on `code`; subclasses exist only to group codes and to carry fields. The same code is the HTTP body's
 * and the other clients'.
 */
import { ERROR_CODES, type ErrorCode, type ErrorKind, type FieldError } from './contracts/error-codes.ts'
import type { ErrorInfo } from './contracts/error-info.ts'
import type { Stage } from './contracts/stages/stages.ts'

export { ERROR_CODES, type ErrorCode, type FieldError } from './contracts/error-codes.ts'

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

const CLASSES: Readonly<Record<Exclude<ErrorKind, 'plugin' | 'provider'>, typeof SvcError>> = {
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
