import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { taints } from '../../../contracts/tool/taints.ts'
import { jaccard, toStems } from '../../../text/words.ts'
import { spaceOf } from '../records/record-time.ts'

/** Share of words from which on two texts say the same: all but one in so many. */
const ONE_IN = 5
const SAME = (ONE_IN - 1) / ONE_IN
/** So many of the newest that share a rare word are compared. */
const COMPARED = 256

interface Known {
  readonly record: MemoryRecord
  readonly stems: ReadonlySet<string>
}

/** Finds records that say the same as a text, within one space. */
export class SameFinder {
  readonly #known = new Map<string, Map<string, Known>>()

  add(record: MemoryRecord): void {
    const stems = new Set(toStems(record.content))
    for (const key of keysOf(record, stems)) {
      const listed = this.#known.get(key)
      if (listed === undefined) this.#known.set(key, new Map([[record.id, { record, stems }]]))
      else listed.set(record.id, { record, stems })
    }
  }

  remove(record: MemoryRecord): void {
    for (const key of keysOf(record, new Set(toStems(record.content)))) {
      const listed = this.#known.get(key)
      listed?.delete(record.id)
      if (listed?.size === 0) this.#known.delete(key)
    }
  }

  /** A record with the same words, or four fifths of them; only among records of the same trust and taint. */
  find(content: string, like: Pick<MemoryRecord, 'threadId' | 'trust' | 'source'>): MemoryRecord | undefined {
    const stems = new Set(toStems(content))
    for (const key of keysOf(like, stems)) {
      for (const known of [...(this.#known.get(key)?.values() ?? [])].slice(-COMPARED)) {
        const { record } = known
        if (record.trust === like.trust && taints(record) === taints(like) && jaccard(stems, known.stems) >= SAME)
          return record
      }
    }
    return undefined
  }
}

/**
 * Two sets that share four fifths of their words share one of the first fifth, in any fixed order of words (prefix
 * filtering, Bayardo et al., 2007). Long words first: they are rarer.
 */
function keysOf(record: Pick<MemoryRecord, 'threadId'>, stems: ReadonlySet<string>): string[] {
  const ordered = [...stems].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const prefix = ordered.slice(0, Math.floor(ordered.length / ONE_IN) + 1)
  return prefix.map((stem) => `${spaceOf(record)}\n${stem}`)
}
