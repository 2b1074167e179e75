import type { ExecutionResult } from '@svc/core'

/** The answer as text: structured output where it was asked for, else the summary. */
export function renderResult({ output, summary }: ExecutionResult): string {
  return output === undefined ? summary : JSON.stringify(output, null, 2)
}
