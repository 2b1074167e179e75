import type { ExecutionResult, RunView } from '@svc/core'
import { count } from './one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

const MOST_FILES = 3

/**
 * What a run took and left, in the one line that stays on a terminal.
 *
 * @param calls that the run made: those that wrote name the files
 */
export function renderClosingLine(
  { runId, timing, agents, usage, costUsd }: ExecutionResult,
  calls: RunView['toolCalls'],
): string {
  const written = writtenBy(calls)
  const files = written.slice(0, MOST_FILES)
  const more = written.length > MOST_FILES ? ` and ${written.length - MOST_FILES} more` : ''
  return [
    toDuration(timing.durationMs),
    count(agents.length, 'agent'),
    count(usage.modelCalls, 'model call'),
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
