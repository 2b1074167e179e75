import type { MemoryHit } from '../../../contracts/memory/memory.ts'
import { estimateTokens } from '../../../text/estimate-tokens.ts'
import { jaccard, toStems } from '../../../text/words.ts'

const REPETITION = 0.8

/**
 * As many hits as fit into a budget, the best first to get in, in order of time.
 *
 * What repeats four fifths of the words of a hit that is already in is left out, and so is what does not fit; where room
 * is left, the neighbours of the hits follow.
 *
 * @param hits best first
 * @param tokenBudget tokens of all contents together
 * @param limit most hits
 * @param neighboursOf what stands beside a hit
 */
export function packHits(
  hits: readonly MemoryHit[],
  tokenBudget: number,
  limit: number,
  neighboursOf: (hit: MemoryHit) => MemoryHit[],
): MemoryHit[] {
  const packed = new Map<string, { hit: MemoryHit; stems: Set<string> }>()
  let left = tokenBudget
  const offer = (hit: MemoryHit) => {
    if (packed.size >= limit || packed.has(hit.id)) return
    const tokens = estimateTokens(hit.content)
    if (tokens > left) return
    const stems = new Set(toStems(hit.content))
    for (const other of packed.values()) if (jaccard(stems, other.stems) >= REPETITION) return
    packed.set(hit.id, { hit, stems })
    left -= tokens
  }
  for (const hit of hits) offer(hit)
  for (const { hit } of [...packed.values()]) for (const neighbour of neighboursOf(hit)) offer(neighbour)
  return [...packed.values()]
    .map(({ hit }) => hit)
    .sort((a, b) => Date.parse(a.validFrom) - Date.parse(b.validFrom) || (a.createdAt < b.createdAt ? -1 : 1))
}
