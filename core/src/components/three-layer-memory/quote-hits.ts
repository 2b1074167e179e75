import type { MemoryHit, MemoryRecord } from '../../contracts/memory.ts'

/**
 * Recalled records as data for a prompt: one JSON string a line, each with its date, origin and trust, so that nothing
 * in a record can be mistaken for a line of the prompt.
 */
export function quoteHits(hits: readonly (MemoryHit | MemoryRecord)[]): string {
  return hits
    .map(
      (hit) => `- [${hit.validFrom.slice(0, 10)}, ${hit.source.origin}, ${hit.trust}] ${JSON.stringify(hit.content)}`,
    )
    .join('\n')
}
