import type { MemoryHit, MemoryRecord } from '../../../contracts/memory/memory.ts'

/**
 * Recalled records as data for a prompt: one JSON string a line, each with its date, origin and trust, so that nothing
 * in a record can be mistaken for a line of the prompt or end a block of it.
 */
export function quoteHits(hits: readonly (MemoryHit | MemoryRecord)[]): string {
  return hits
    .map(({ validFrom, source, trust, content }) => {
      const text = JSON.stringify(content).replaceAll('<', '\\u003c')
      return `- [${validFrom.slice(0, 10)}, ${source.origin}, ${trust}] ${text}`
    })
    .join('\n')
}
