import type { ExecutionResult, Mode, RunResult } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { renderMarkdown } from './markdown/markdown.ts'
import { renderRunResult } from './run/run.ts'

/**
 * Prints what a run returned: on a terminal the Markdown of an answer is rendered; plans, analyses and JSON are text as they
 * are, and so is everything in a pipe.
 *
 * @param hasSaid whether this text stands on the screen already
 */
export function printResult(
  { flags, io, print }: CommandContext,
  mode: Mode,
  result: RunResult,
  hasSaid: (answer: string) => boolean = () => false,
): void {
  const text = renderRunResult(mode, result)
  if (flags.output === 'text' && hasSaid(text)) return
  const isProse = 'summary' in result && (result as ExecutionResult).output === undefined
  if (flags.output === 'text' && io.isOutTerminal && !io.isPlain && isProse) {
    const lines = renderMarkdown(io.redact(text), io.outColumns - 1, io.outPaint)
    if (lines.length > 0) io.out(`${lines.join('\n')}\n`)
  } else print(result, () => text)
}
