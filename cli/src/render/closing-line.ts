import type { ExecutionResult } from '@svc/core'
import { count } from '../progress/one-line.ts'
import { toCount } from './run.ts'
import { toDuration } from './time.ts'

const MOST_FILES = 3

/** What a run took and left, in the one line that stays on a terminal. */
export function renderClosingLine({ runId, timing, agents, usage, costUsd, artifacts }: ExecutionResult): string {
  const files = artifacts.slice(0, MOST_FILES).map(({ name }) => name)
  const more = artifacts.length > MOST_FILES ? ` and ${artifacts.length - MOST_FILES} more` : ''
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
