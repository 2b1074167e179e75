import {
  type Approval,
  createError,
  ERROR_CODES,
  type ErrorCode,
  type ExecutionResult,
  isErrorCode,
  type Run,
  RunError,
  type RunStatus,
  type SvcError,
  type UsageTotal,
  type Warning,
} from '@svc/core'
import type { followAnswer } from '../../shared/follow-answer.ts'
import { needsPerson } from '../../shared/rest.ts'

/** A call that the client has to make. */
export interface AskedCall {
  id: string
  name: string
  /** JSON. */
  arguments: string
}

/** What a request has come to. */
export interface Outcome {
  /** What was said. */
  text: string
  calls: AskedCall[]
  /** Calls of svc's own tools that need approval. */
  approvals: Approval[]
  /** Some limit ended it. */
  isCut: boolean
  usage: UsageTotal
  facts: SvcFacts
}

/** What is known of the run, in a field that OpenAI's answers do not have. */
export interface SvcFacts {
  run_id: string
  status: RunStatus
  verdict?: string
  /** Why the run is incomplete: `limit`, `checks_failed`, `approval_denied`, ... */
  reason?: string
  /** How many calls of tools were denied: nobody can be asked over this protocol. */
  denied_calls?: number
  /** What its person is to know: turns that were left out, what was denied, ... */
  warnings?: Warning[]
}

/** How the answer is asked for. */
export interface Shape {
  /** Name of the function whose arguments are the answer. */
  forced: string | undefined
  /** The answer is JSON, which comes as a whole. */
  isJson: boolean
  /** Questions to a person reach the client, and its answers the run. */
  asksApproval: boolean
}

const MOST_WARNINGS = 20

type Followed = Awaited<ReturnType<typeof followAnswer>>

/**
 * What a run says, or waits for.
 *
 * @throws SvcError that a run failed with, that it was cancelled, or that it waits for a person
 */
export function toOutcome(runId: string, { stop, text }: Followed, { forced, isJson, asksApproval }: Shape): Outcome {
  if (stop.kind === 'waits') return toWaiting(stop.run, text, asksApproval)
  const { status, result } = stop
  const { verdict, incomplete, usage, output, error, warnings = [] } = result
  const isCut = isLimit(incomplete?.reason) || warnings.some(({ code }) => code === 'output_truncated')
  const denied = result.toolCalls?.denied ?? 0
  if (status === 'failed' || status === 'cancelled') throw toError(error, `run ${runId} was ${status}`)
  const facts: SvcFacts = {
    run_id: runId,
    status,
    verdict,
    ...(incomplete && { reason: incomplete.reason }),
    ...(denied > 0 && { denied_calls: denied }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MOST_WARNINGS) }),
  }
  const outcome = { text: result.summary, calls: [], approvals: [], isCut, usage, facts }
  if (!isJson || (outcome.isCut && output === undefined)) return outcome
  if (output === undefined)
    throw createError(
      'output_schema_mismatch',
      `run ${runId} has no answer that fits the schema: ${error?.message ?? incomplete?.reason}`,
    )
  const json = JSON.stringify(output)
  if (forced === undefined) return { ...outcome, text: json, isCut: false }
  // No run waits for what comes of it.
  const id = `call_${runId.slice('run_'.length)}_00000000`
  return { ...outcome, text: '', calls: [{ id, name: forced, arguments: json }] }
}

function toWaiting(run: Run, text: string, asksApproval: boolean): Outcome {
  const { id, status, waiting = {}, usage } = run
  const { calls = [], approvals = [], input } = waiting
  if (!asksApproval && needsPerson(run))
    throw new RunError('run_failed', `run ${id} waits for a person, who cannot be asked here: see it in the console`)
  return {
    text: [text, input?.prompt ?? ''].filter((part) => part !== '').join('\n\n'),
    calls: calls.map((call) => ({ id: call.id, name: call.tool, arguments: JSON.stringify(call.args) })),
    approvals,
    isCut: false,
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

/** What was used since. A run that goes on has counted what was before. */
export function usageSince(now: UsageTotal, before?: UsageTotal): UsageTotal {
  if (before === undefined) return now
  const less = (a = 0, b = 0): number => Math.max(0, a - b)
  return {
    ...now,
    inputTokens: less(now.inputTokens, before.inputTokens),
    outputTokens: less(now.outputTokens, before.outputTokens),
    cachedTokens: less(now.cachedTokens, before.cachedTokens),
    reasoningTokens: less(now.reasoningTokens, before.reasoningTokens),
  }
}
