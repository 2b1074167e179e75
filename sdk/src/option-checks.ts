import type {
  Approval,
  ClientTool,
  Decision,
  FieldError,
  GivenTurn,
  JsonSchema,
  Plan,
  RunOptions,
} from '@svc/core/client'
import { nearest, ValidationError } from '@svc/core/client'

/** What an agent asks the user. */
export interface InputQuestion {
  runId: string
  prompt: string
  /** JSON Schema of the answer, where there is one. */
  schema?: JsonSchema
}

/**
 * What is said to a tool call that needs permission. `args` are other arguments to call with, which are checked again and
 * stand in place of those that were asked about.
 */
export type ApprovalAnswer = 'approve' | 'deny' | Decision

/** Options of every client, embedded or remote. */
export interface ClientOptions {
  /** Aborting it cancels every run of this client. */
  signal?: AbortSignal
  /** Answers when a tool needs a person's permission. Without it such a tool is denied. */
  onApproval?: (approval: Approval) => ApprovalAnswer | Promise<ApprovalAnswer>
  /**
   * Answers what an agent asks the user, in words or as JSON. Without it nobody answers, and the agent goes on by its best
   * reading of the task.
   */
  onInput?: (question: InputQuestion) => unknown
  /** True: a run that fails rejects instead of resolving with its status. Default false. */
  throwOnFailure?: boolean
}

/** Options of one run. */
export type ClientRunOptions = Omit<RunOptions, 'outputSchema'> & {
  /** Asks for JSON: a schema of zod, Valibot, ArkType or another Standard Schema, of TypeBox, or JSON Schema. */
  outputSchema?: object
  threadId?: string
  /** What was said before, of a run without a thread. */
  turns?: GivenTurn[]
  /** Tools that the caller has, and calls itself: the run waits until `runs.resume(id, { results })` says what came of them. */
  clientTools?: ClientTool[]
  /** A plan from `plan()` or by hand, executed as it is. */
  plan?: Plan
  /** Aborting it cancels the run. */
  signal?: AbortSignal
  /** Overrides the client's. */
  throwOnFailure?: boolean
}

/** What an option must be: a test, and the words for it; of a list also what each of its items must be. */
export type OptionCheck = readonly [fits: (value: unknown) => boolean, mustBe: string, item?: OptionCheck]

export const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const TEXT: OptionCheck = [(value) => typeof value === 'string' && value !== '', 'a text']
export const SWITCH: OptionCheck = [(value) => typeof value === 'boolean', 'true or false']
export const FUNCTION: OptionCheck = [(value) => typeof value === 'function', 'a function']
export const OBJECT: OptionCheck = [isObject, 'an object']
const SIGNAL: OptionCheck = [(value) => value instanceof AbortSignal, 'an AbortSignal']

/** What the options of every client must be. */
export const CLIENT_CHECKS: { readonly [Name in keyof Required<ClientOptions>]: OptionCheck } = {
  signal: SIGNAL,
  onApproval: FUNCTION,
  onInput: FUNCTION,
  throwOnFailure: SWITCH,
}

/**
 * Checks options one by one; programs without types may hand over anything.
 *
 * @throws ValidationError `validation_failed` with each unknown option and each value out of range
 */
export function checkValues(checks: Readonly<Record<string, OptionCheck>>, options: object): void {
  if (!isObject(options)) throw invalid([{ path: '', message: `must be an object, not ${describe(options)}` }])
  const errors = Object.entries(options).flatMap(([name, value]) => {
    if (Object.hasOwn(checks, name)) return value === undefined ? [] : faultsOf(`/${name}`, checks[name], value)
    const guess = nearest(name, Object.keys(checks))
    const message = `is no option of ServiceClient${guess === undefined ? '' : `: did you mean ${guess}?`}`
    return [{ path: `/${name}`, message }]
  })
  if (errors.length > 0) throw invalid(errors)
}

function faultsOf(path: string, check: OptionCheck | undefined, value: unknown): FieldError[] {
  if (check === undefined) return []
  const [fits, mustBe, item] = check
  if (!fits(value)) return [{ path, message: `must be ${mustBe}, not ${describe(value)}` }]
  return item === undefined ? [] : (value as unknown[]).flatMap((one, index) => faultsOf(`${path}/${index}`, item, one))
}

/** @throws ValidationError `validation_failed` for options of a run that the client takes itself */
export function checkRunOptions(options: ClientRunOptions): void {
  const own = isObject(options) ? { signal: options.signal, throwOnFailure: options.throwOnFailure } : options
  checkValues(CLIENT_CHECKS, own)
}

/** A value as an error shows it; of a long text, which may be a key, only the length. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `a text of ${value.length} characters` : `"${value}"`
  if (Array.isArray(value)) return 'that list'
  if (typeof value === 'function') return 'that function'
  return typeof value === 'object' && value !== null ? 'that object' : String(value)
}

function invalid(errors: FieldError[]): ValidationError {
  const message = errors.map(({ path, message }) => `${path.slice(1) || 'options'}: ${message}`).join('; ')
  return new ValidationError('validation_failed', message, { errors })
}
