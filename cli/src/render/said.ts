import { toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { toLines } from './width.ts'

export const PROMPT = '> '
/** Of a longer text, such as one that was pasted, the first lines stand above its answer. */
const MOST = 16
const KEPT = 12

/** What a person asked, as it stays above the answer. */
export function renderSaid(text: string, { columns, paint }: Pick<Io, 'columns' | 'paint'>): string {
  const lines = toLines(toShownText(text), Math.max(2, columns - 3))
  const kept = lines.length > MOST ? lines.slice(0, KEPT) : lines
  const shown = kept.map((line, at) => `${at === 0 ? paint.cyan(PROMPT) : '  '}${paint.bold(line)}`)
  const more = lines.length - kept.length
  return `${[...shown, ...(more > 0 ? [paint.dim(`  … ${more} more lines`)] : [])].join('\n')}\n`
}
