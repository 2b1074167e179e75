import type { SvcError } from '../../../../errors.ts'
import { isOutage } from '../../alternatives.ts'
import type { StepAnswer } from '../agent/answer-draft.ts'
import type { VoteRecord } from '../agent/vote.ts'
import type { ExecutionContext } from './execution-context.ts'
import { isOver, type StepState } from './step-state.ts'
import { isLimit, isOwnLimit, type Stop } from './stop.ts'

export interface StepOutput extends StepAnswer {
  vote?: VoteRecord
}

/** A step starts. */
export function startStep(context: ExecutionContext, state: StepState): void {
  state.status = 'running'
  state.startedAt ??= context.clock()
  context.progress.start(state, context.softTokensOf(state.agentId))
}

export function completeStep(context: ExecutionContext, state: StepState, { text, data, vote }: StepOutput): void {
  const { run, clock, progress, stalls } = context
  state.status = 'completed'
  state.output = text
  if (data !== undefined) state.data = data
  state.endedAt = clock()
  stalls.progress()
  for (const [tool, message] of state.failedTools) {
    run.warn({
      code: 'tool_unavailable',
      message: `${state.step.id} was answered without ${tool}, which failed: ${message}`,
    })
  }
  progress.end(state, vote)
}

/** @returns whether the failure ends everything: as an error, or as a limit of the whole run */
export function failStep(context: ExecutionContext, state: StepState, error: SvcError): 'error' | 'limit' | undefined {
  const { run, clock, progress } = context
  if (error.code === 'cancelled' || error.name === 'PluginError' || error.exitCode === 2) return 'error'
  state.status = 'failed'
  state.error = error.toInfo()
  state.endedAt = clock()
  if (isLimit(error)) state.output = state.best
  noteStall(context, error)
  progress.end(state)
  return isLimit(error) && !isOwnLimit(error, state.agentId, run) ? 'limit' : undefined
}

/** A step that cannot be done is left out. */
export function skipStep({ progress }: ExecutionContext, state: StepState, why: Stop): void {
  if (isOver(state)) return
  state.status = 'skipped'
  state.error = { ...why, retryable: false }
  progress.end(state)
}

/** A step made no progress. An outage of its model says nothing about the plan. */
export function noteStall({ stalls }: ExecutionContext, error: { readonly code: string }): void {
  if (!isOutage(error)) stalls.stall()
}
