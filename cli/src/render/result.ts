import type { ExecutionResult } from '@svc/core'

/**
 * The answer as text: structured output where it was asked for, else the summary; nothing where it says no more than the
 * error, which is said elsewhere.
 */
export function renderResult({ output, summary, status, error }: ExecutionResult): string {
  if (status === 'failed' && error !== undefined && summary === `No step was finished: ${error.message}.`) return ''
  return output === undefined ? summary : JSON.stringify(output, null, 2)
}
