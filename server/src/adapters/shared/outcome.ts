import {
  type Approval,
  ConflictError,
  createError,
  ERROR_CODES,
  type ErrorCode,
  type ExecutionResult,
  isErrorCode,
  type Run,
  type SvcError,
  type UsageTotal,
} from '@svc/core'
import { type RunFacts, resultFacts } from './facts.ts'
import type { followAnswer } from './follow-answer.ts'
import { toForcedCall } from './forced-tools.ts'

/** A call that the client has to make. */
export interface AskedCall {
  id: string
  name: string
  args: unknown
}

/** What a request has come to. */
export interface Outcome {
  /** What was said. */
  text: string
  /** What is said at the end of the text of what was denied, and of why the answer is not what it seems to be; or empty. */
  note: string
  calls: AskedCall[]
  /** Calls of svc's own tools that need approval. */
  approvals: Approval[]
  /** The stop sequence that was met. */
  stoppedBy?: string
  /** Some limit ended it. */
  isCut: boolean
  /** The model, or its vendor, refused to answer. */
  isRefused: boolean
  usage: UsageTotal
  facts: SvcFacts
}

/** What is known of the run, as `svc` of an answer. */
export interface SvcFacts extends RunFacts {
  run_id: string
  /** How many calls of tools were denied. */
  denied_calls?: number
}

/** How the answer is asked for. */
export interface Shape {
  /** Names of the tools that the answer has to be a call of one of. */
  forced: readonly string[]
  /** The answer is JSON, which comes as a whole. */
  isJson: boolean
  /** Questions to a person reach the client, and its answers the run. */
  asksApproval: boolean
  /** The answer ends before the first of these. */
  stops: readonly string[]
}

export type Followed = Awaited<ReturnType<typeof followAnswer>>

/**
 * What a run says, or waits for.
 *
 * @param before what it had used before this request
 * @throws SvcError that a run failed with, that it was cancelled, or that it waits for a person who cannot be asked
 */
export function toOutcome(
  runId: string,
  { stop, text }: Followed,
  shape: Omit<Shape, 'stops'>,
  before?: UsageTotal,
): Outcome {
  const outcome =
    stop.kind === 'waits' ? toWaiting(stop.run, text, shape.asksApproval) : toEnded(runId, stop.result, text, shape)
  return { ...outcome, usage: usageSince(outcome.usage, before) }
}

function toEnded(
  runId: string,
  result: ExecutionResult,
  said: string,
  { forced, isJson }: Pick<Shape, 'forced' | 'isJson'>,
): Outcome {
  const { status, incomplete, usage, output, error, warnings = [], toolCalls, summary } = result
  const isRefused = error?.code === 'content_filtered'
  if (!isRefused && (status === 'failed' || status === 'cancelled')) throw toError(error, `run ${runId} was ${status}`)
  const isCut = isLimit(incomplete?.reason) || warnings.some(({ code }) => code === 'output_truncated')
  const denied = toolCalls?.denied ?? 0
  const facts = { run_id: runId, ...resultFacts(result), ...(denied > 0 && { denied_calls: denied }) }
  const outcome = { text: summary, note: noteOf(result), calls: [], approvals: [], isCut, isRefused, usage, facts }
  if (isRefused) return { ...outcome, text: said }
  if (!isJson || (isCut && output === undefined)) return outcome
  if (output === undefined)
    throw createError(
      'output_schema_mismatch',
      `run ${runId} has no answer that fits the schema: ${error?.message ?? incomplete?.reason}`,
    )
  if (forced.length === 0) return { ...outcome, text: JSON.stringify(output), note: '', isCut: false }
  // No run waits for what comes of it.
  const id = `call_${runId.slice('run_'.length)}_00000000`
  return { ...outcome, text: '', note: '', calls: [{ id, ...toForcedCall(forced, output) }] }
}

function toWaiting({ id, status, waiting = {}, usage }: Run, text: string, asksApproval: boolean): Outcome {
  const { calls = [], approvals = [], input } = waiting
  if (!asksApproval && calls.length === 0)
    throw new ConflictError(
      'invalid_transition',
      `run ${id} waits for a person, who cannot be asked here: see it in the console`,
    )
  return {
    text: [text, (asksApproval && input?.prompt) || ''].filter((part) => part !== '').join('\n\n'),
    note: '',
    calls: calls.map((call) => ({ id: call.id, name: call.tool, args: call.args })),
    approvals: asksApproval ? approvals : [],
    isCut: false,
    isRefused: false,
    usage,
    facts: { run_id: id, status },
  }
}

function toError(error: ExecutionResult['error'], otherwise: string): SvcError {
  const { code, message } = error ?? { code: 'run_failed', message: otherwise }
  return createError(isErrorCode(code) ? code : 'run_failed', message, error && { retryable: error.retryable })
}

const NO_LIMITS: ReadonlySet<string> = new Set<ErrorCode>(['output_schema_mismatch', 'plan_failed'])

const isLimit = (reason: string | undefined): boolean =>
  reason === 'limit' || (isErrorCode(reason) && ERROR_CODES[reason].kind === 'limit' && !NO_LIMITS.has(reason))

/** Warnings of calls that were not allowed. */
const DENIALS: readonly string[] = ['approval_required', 'approval_denied', 'policy_denied']
const MOST_NOTES = 5

/** What a reader of the text alone has to know. */
function noteOf({ status, incomplete, warnings = [] }: ExecutionResult): string {
  // An answer that says itself that it is none needs no note.
  const isWhole = status !== 'incomplete' || incomplete?.reason === 'not_found'
  const notes = warnings.flatMap(({ code, message }) => (isWhole && !DENIALS.includes(code) ? [] : message))
  if (!isWhole) notes.push(`the run is incomplete: ${incomplete?.reason}`)
  if (notes.length === 0) return ''
  const lines = notes.slice(-MOST_NOTES).map((note) => `[svc: ${note.slice(0, 500)}]`)
  return `\n\n${lines.join('\n')}`
}

/** What was used since. A run that goes on has counted what was before. */
export function usageSince(now: UsageTotal, before?: UsageTotal): UsageTotal {
  if (before === undefined) return now
  const less = (a = 0, b = 0): number => Math.max(0, a - b)
  return {
    ...now,
    inputTokens: less(now.inputTokens, before.inputTokens),
    outputTokens: less(now.outputTokens, before.outputTokens),
    cachedTokens: less(now.cachedTokens, before.cachedTokens),
    cacheWriteTokens: less(now.cacheWriteTokens, before.cacheWriteTokens),
    reasoningTokens: less(now.reasoningTokens, before.reasoningTokens),
  }
}
