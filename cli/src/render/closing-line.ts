import type { ExecutionResult, RunView } from '@svc/core'
import { count } from './one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

/**
 * What a run took, in the one line that stays on a terminal.
 *
 * @param view of the run: of one that was stopped it knows what had begun
 */
export function renderClosingLine(
  { runId, timing, agents, usage, costUsd }: ExecutionResult,
  view: Pick<RunView, 'steps' | 'modelCalls'>,
): string {
  const atWork = new Set([...view.steps.values()].map(({ agentId }) => agentId))
  // A call that was cut off has no end to be counted by.
  const begun = view.modelCalls.filter(({ usage: { inputTokens, outputTokens } }) => inputTokens + outputTokens > 0)
  return [
    toDuration(timing.durationMs),
    count(Math.max(agents.length, atWork.size), 'agent'),
    count(Math.max(usage.modelCalls, begun.length), 'model call'),
    `${toCount(usage.inputTokens + usage.outputTokens)} tokens`,
    ...(costUsd === 0 ? [] : [costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`]),
    runId,
  ].join(', ')
}
