import type { ExecutionResult } from '@svc/core'
import { count } from './one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

const MOST_FILES = 3

/**
 * What a run took and left, in the one line that stays on a terminal.
 *
 * @param written paths of the files that it made or changed
 */
export function renderClosingLine(
  { runId, timing, agents, usage, costUsd }: ExecutionResult,
  written: readonly string[],
): string {
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
