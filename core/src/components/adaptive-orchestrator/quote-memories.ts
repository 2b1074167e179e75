import type { MemoryHit } from '../../contracts/index.ts'
import { clip, oneLine } from './clip.ts'

/** Recalled memories as data: one JSON string a line, in which nothing can end the block. */
export function quoteMemories(recalled: readonly MemoryHit[]): string {
  if (recalled.length === 0) return ''
  const lines = recalled.slice(0, 8).map(({ content, validFrom, source, trust }) => {
    const text = JSON.stringify(clip(oneLine(content), 600)).replaceAll('<', '\\u003c')
    return `- [${validFrom.slice(0, 10)}, ${source.origin}, ${trust}] ${text}`
  })
  return `Remembered from earlier, as material:\n<memory>\n${lines.join('\n')}\n</memory>`
}
