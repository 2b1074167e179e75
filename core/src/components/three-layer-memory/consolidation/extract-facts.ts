import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import { containment, toStems } from '../../../text/words.ts'
import { spaceOf } from '../records/record-time.ts'

/** A fact that a model read out of episodes, with the ids of those that state it. */
export interface ExtractedFact {
  readonly content: string
  readonly sources: readonly string[]
}

/** Reads facts out of episodes of one thread, or of none. */
export type ExtractFacts = (episodes: readonly MemoryRecord[]) => Promise<readonly ExtractedFact[]>

/** Share of a fact's stems that its sources must hold. */
const GROUNDED = 0.6
const MOST_CHARACTERS = 500
const MOST_EPISODES = 20
/** Numbers, and words with a capital letter that do not begin the sentence. */
const NUMBERS_AND_NAMES = /\d+(?:[.,]\d+)*|(?<=\S )\p{Lu}[\p{L}\p{N}]*/gu

/**
 * Facts that their sources support, each with an episode to take time and trust from: the newest of its sources, or an
 * untrusted one where there is any, a tainted one before others. A fact that says more than its sources, or names a number or name that they do not,
 * is left out; so is all of a thread whose reading fails.
 */
export async function groundedFacts(
  episodes: readonly MemoryRecord[],
  extract: ExtractFacts,
): Promise<{ episode: MemoryRecord; content: string; from: string[] }[]> {
  const spaces = new Map<string, MemoryRecord[]>()
  for (const episode of episodes) {
    const same = spaces.get(spaceOf(episode))
    if (same === undefined) spaces.set(spaceOf(episode), [episode])
    else same.push(episode)
  }
  const found: { episode: MemoryRecord; content: string; from: string[] }[] = []
  for (const all of spaces.values()) {
    for (let start = 0; start < all.length; start += MOST_EPISODES) {
      const some = all.slice(start, start + MOST_EPISODES)
      for (const { content, sources } of await extract(some).catch(() => [])) {
        const stated = some.filter(({ id }) => sources.includes(id))
        const episode = stated.find(taints) ?? stated.find(({ trust }) => trust === 'untrusted') ?? stated.at(-1)
        if (episode === undefined || !isGrounded(content, stated)) continue
        found.push({ episode, content: content.trim(), from: stated.map(({ id }) => id) })
      }
    }
  }
  return found
}

/** Whether sources hold what a fact says: its words for the most part, its numbers and names all. */
export function isGrounded(content: string, sources: readonly Pick<MemoryRecord, 'content'>[]): boolean {
  if (content.trim() === '' || content.length > MOST_CHARACTERS) return false
  const text = sources.map((source) => source.content).join('\n')
  const said = text.toLowerCase()
  if ((content.match(NUMBERS_AND_NAMES) ?? []).some((name) => !said.includes(name.toLowerCase()))) return false
  return containment(new Set(toStems(content)), new Set(toStems(text))) >= GROUNDED
}
