import type { ExecutionResult, RunView } from '@svc/core'
import { count } from './one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

const MOST_FILES = 3

/**
 * What a run took and left, in the one line that stays on a terminal.
 *
 * @param view of the run: the calls that wrote name the files, and of a run that was stopped it knows what had begun
 */
export function renderClosingLine(
  { runId, timing, agents, usage, costUsd }: ExecutionResult,
  view: Pick<RunView, 'steps' | 'modelCalls' | 'toolCalls'>,
): string {
  const written = writtenBy(view.toolCalls)
  const atWork = new Set([...view.steps.values()].map(({ agentId }) => agentId))
  // A call that was cut off has no end to be counted by.
  const begun = view.modelCalls.filter(({ usage: { inputTokens, outputTokens } }) => inputTokens + outputTokens > 0)
  const files = written.slice(0, MOST_FILES)
  const more = written.length > MOST_FILES ? ` and ${written.length - MOST_FILES} more` : ''
  return [
    toDuration(timing.durationMs),
    count(Math.max(agents.length, atWork.size), 'agent'),
    count(Math.max(usage.modelCalls, begun.length), 'model call'),
    `${toCount(usage.inputTokens + usage.outputTokens)} tokens`,
    ...(costUsd === 0 ? [] : [costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`]),
    ...(files.length === 0 ? [] : [`wrote ${files.join(', ')}${more}`]),
    runId,
  ].join(', ')
}

function writtenBy(calls: RunView['toolCalls']): string[] {
  const paths = calls.flatMap(({ risk, status, args }) =>
    risk === 'write' && status === 'completed' ? (args as { path?: unknown } | null)?.path : [],
  )
  return [...new Set(paths.filter((path) => typeof path === 'string'))]
}
