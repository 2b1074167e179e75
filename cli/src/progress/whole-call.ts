import type { ToolCallView } from '@svc/core'
import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { paintChange } from '../render/markdown/blocks.ts'
import { toLines } from '../render/width.ts'

/** Lines of a call in `/details`; whole where it is asked for. */
const MOST_LINES = 12

/** What a call was asked and what it gave, line by line, differences in colour. @param most lines of each; default all */
export function renderCall(call: ToolCallView, { paint, columns, redact }: Io, isWhole: boolean): string[] {
  const { args, result, error } = call
  const asked = Object.entries(typeof args === 'object' && args !== null ? args : { arguments: args }).flatMap(
    ([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      return text.includes('\n') ? [`${name}:`, ...text.split('\n').map((line) => `  ${line}`)] : [`${name}: ${text}`]
    },
  )
  const gave = unfold(result ?? error?.message ?? '')
  const isChange = gave.some((line) => line.startsWith('@@'))
  const show = (lines: readonly string[], painter: (line: string) => (text: string) => string): string[] => {
    const rows = lines.flatMap((line) => {
      const shown = toShownText(redact(line.replaceAll('\t', '  ')))
      return toLines(shown, Math.max(2, columns - 5)).map((part) => `  ${paint.dim('│')} ${painter(line)(part)}`)
    })
    if (isWhole || rows.length <= MOST_LINES) return rows
    const note = `  ${paint.dim(`│ … ${rows.length - MOST_LINES} more lines: Ctrl-O shows the last call whole`)}`
    return [...rows.slice(0, MOST_LINES), note]
  }
  return [
    ...show(asked, () => paint.dim),
    ...(gave.length === 0 ? [] : [`  ${paint.dim('├')}`]),
    ...show(gave, isChange ? paintChange(paint) : () => String),
  ]
}

/** What a program printed stands in JSON. */
function unfold(text: string): string[] {
  if (text.trim() === '') return []
  try {
    const { exitCode, stdout, stderr } = JSON.parse(text) as Record<string, unknown>
    if (typeof exitCode === 'number')
      return [
        `exit ${exitCode}`,
        ...[stdout, stderr].flatMap((part) =>
          String(part ?? '')
            .trimEnd()
            .split('\n'),
        ),
      ].filter((line) => line !== '')
  } catch {
    // It is text.
  }
  return text.trimEnd().split('\n')
}
