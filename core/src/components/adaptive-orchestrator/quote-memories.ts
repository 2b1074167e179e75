import type { MemoryHit } from '../../contracts/index.ts'
import { markOf } from '../../contracts/memory/memory-record.ts'
import { clip, oneLine } from './clip.ts'

/** Recalled memories as data: one JSON string a line, in which nothing can end the block. */
export function quoteMemories(recalled: readonly MemoryHit[]): string {
  if (recalled.length === 0) return ''
  const lines = recalled.slice(0, 8).map((hit) => {
    const text = JSON.stringify(clip(oneLine(hit.content), 600)).replaceAll('<', '\\u003c')
    return `- ${markOf(hit)} ${text}`
  })
  return `Remembered from earlier, as material:\n<memory>\n${lines.join('\n')}\n</memory>`
}
