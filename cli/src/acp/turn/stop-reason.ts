import type { StopReason } from '@agentclientprotocol/sdk'
import { createError, type ErrorInfo, RunError, type RunResult, type SvcError } from '@svc/core'

const REASONS: Readonly<Record<string, StopReason>> = {
  budget_exhausted: 'max_tokens',
  context_overflow: 'max_tokens',
  max_steps: 'max_turn_requests',
  content_filtered: 'refusal',
}

/** How a turn ended, and what else a person should know of it. */
export interface Stop {
  stopReason: StopReason
  note?: string
}

/**
 * How a run ended, in the protocol's words.
 *
 * @throws SvcError of a run that failed for a reason that the protocol has no word for
 */
export function toStop(result: RunResult): Stop {
  if (!('status' in result)) return { stopReason: 'end_turn' }
  const { runId, status, error } = result
  if (status === 'cancelled') return { stopReason: 'cancelled' }
  const reason = ('incomplete' in result ? result.incomplete?.reason : undefined) ?? error?.code ?? ''
  const stopReason = REASONS[reason]
  if (status === 'failed' && stopReason === undefined) throw toRunError(runId, error)
  if (status === 'failed') return { stopReason: stopReason ?? 'end_turn', note: error?.message ?? reason }
  if (status === 'completed') {
    const left = result.warnings.find(({ code }) => code === 'turns_left_out')
    return { stopReason: 'end_turn', ...(left && { note: left.message }) }
  }
  return { stopReason: stopReason ?? 'end_turn', note: `the run is incomplete (${reason})` }
}

const toRunError = (runId: string, error: ErrorInfo | undefined): SvcError =>
  error === undefined
    ? new RunError('run_failed', `run ${runId} failed`)
    : createError(error.code, error.message, { retryable: error.retryable })
