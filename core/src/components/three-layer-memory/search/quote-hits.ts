import type { MemoryHit, MemoryRecord } from '../../../contracts/memory/memory.ts'
import { markOf } from '../../../contracts/memory/memory-record.ts'

/**
 * Recalled records as data for a prompt: one JSON string a line, each with its date, origin, trust and the state of its
 * run, so that nothing in a record can be mistaken for a line of the prompt or end a block of it.
 */
export function quoteHits(hits: readonly (MemoryHit | MemoryRecord)[]): string {
  return hits
    .map((hit) => {
      const text = JSON.stringify(hit.content).replaceAll('<', '\\u003c')
      return `- ${markOf(hit)} ${text}`
    })
    .join('\n')
}
