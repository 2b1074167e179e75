import { type ClientTool, ConflictError, createError, type ExecutionResult, type UsageTotal } from '@svc/core'
import type { Stop } from '../shared/follow-answer.ts'
import {
  type AnswerBlock,
  type AnswerStop,
  callBlock,
  type MessageUsage,
  type SvcPart,
  textBlock,
  usageSince,
} from './message.ts'
import { toForcedCall } from './tools.ts'

/** How an answer is wanted, and what its run had used before. */
export interface EndingOptions {
  /** Tools of which it has to be a call. */
  forced: readonly ClientTool[]
  /** Whether it is JSON of a schema. */
  isStructured: boolean
  /** Whether it holds one call at most. */
  isSerial: boolean
  usedBefore: UsageTotal | undefined
}

/** What stands at the end of an answer. */
export interface Ending {
  /** What is said of the answer at the end of its text; else empty. */
  note: string
  /** What follows on the text. */
  blocks: AnswerBlock[]
  stop: AnswerStop
  usage: MessageUsage
  svc: SvcPart
}

/** Why a run is incomplete that met a limit. */
const LIMITS: readonly string[] = ['limit', 'budget_exhausted', 'max_steps', 'run_timeout']

/**
 * What a run has come to, as the end of an answer.
 *
 * @throws SvcError what it failed with; ConflictError `invalid_transition` where it waits for a person
 */
export function endingOf(stop: Stop, options: EndingOptions): Ending {
  if (stop.kind === 'ended') return endingOfResult(stop.result, options)
  const { id, status, waiting, usage } = stop.run
  const calls = waiting?.calls ?? []
  if (calls.length === 0)
    throw new ConflictError('invalid_transition', `run ${id} waits for a person, whom this protocol cannot ask`)
  return {
    note: '',
    blocks: calls.slice(0, options.isSerial ? 1 : undefined).map((call) => callBlock(call.id, call.tool, call.args)),
    stop: { reason: 'tool_use' },
    usage: usageSince(usage, options.usedBefore),
    svc: { run_id: id, status },
  }
}

function endingOfResult(result: ExecutionResult, { forced, isStructured, usedBefore }: EndingOptions): Ending {
  const { runId, status, error, incomplete, output, warnings, usage } = result
  const isRefused = error?.code === 'content_filtered'
  if (!isRefused && (status === 'failed' || status === 'cancelled')) throw toError(error, `run ${runId} ${status}`)
  const isCut = warnings.some(({ code }) => code === 'output_truncated') || LIMITS.includes(incomplete?.reason ?? '')
  if (error?.code === 'output_schema_mismatch' && output === undefined) throw toError(error, '')
  const end = {
    note: output === undefined ? noteOf(result) : '',
    usage: usageSince(usage, usedBefore),
    svc: toSvcPart(result),
  }
  if (forced.length > 0 && output !== undefined) {
    const { name, input } = toForcedCall(forced, output)
    const id = `toolu_${runId.slice('run_'.length)}`
    return { ...end, blocks: [callBlock(id, name, input)], stop: { reason: 'tool_use' } }
  }
  const blocks = isStructured && output !== undefined ? [textBlock(JSON.stringify(output))] : []
  return { ...end, blocks, stop: { reason: isRefused ? 'refusal' : isCut ? 'max_tokens' : 'end_turn' } }
}

/** Warnings of calls that were not allowed. */
const DENIALS: readonly string[] = ['approval_required', 'approval_denied', 'policy_denied']
const MOST_NOTES = 5

/** What a reader of the text alone has to know: what was not allowed, and why the answer is not what it seems to be. */
function noteOf({ status, incomplete, warnings }: ExecutionResult): string {
  // An answer that says itself that it is none needs no note.
  const isWhole = status !== 'incomplete' || incomplete?.reason === 'not_found'
  const notes = warnings.flatMap(({ code, message }) => (isWhole && !DENIALS.includes(code) ? [] : message))
  if (!isWhole) notes.push(`the run is incomplete: ${incomplete?.reason}`)
  if (notes.length === 0) return ''
  return `\n\n${notes
    .slice(-MOST_NOTES)
    .map((note) => `[svc: ${note.slice(0, 500)}]`)
    .join('\n')}`
}

const toError = (error: ExecutionResult['error'], otherwise: string) =>
  error === undefined
    ? createError('run_failed', otherwise)
    : createError(error.code, error.message, { retryable: error.retryable })

const MOST_WARNINGS = 20

const toSvcPart = ({ runId, status, verdict, incomplete, warnings }: ExecutionResult): SvcPart => ({
  run_id: runId,
  status,
  verdict,
  ...(incomplete && { reason: incomplete.reason }),
  ...(warnings.length > 0 && { warnings: warnings.slice(0, MOST_WARNINGS) }),
})
