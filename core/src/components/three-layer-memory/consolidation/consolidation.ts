import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { isoTime } from '../../../support/iso-time.ts'
import type { RecordStore } from '../records/record-store.ts'
import { ARCHIVED, sourceTag } from '../records/record-time.ts'
import { type ExtractFacts, groundedFacts } from './extract-facts.ts'
import { hasFaded, promotable } from './promotion.ts'

/** What a consolidation did, by id. */
export interface ConsolidationReport {
  /** Long-term records that were made out of episodes. */
  promoted: string[]
  /** Long-term records that took up another episode saying the same. */
  merged: string[]
  /** Long-term records that a newer one made untrue. */
  superseded: string[]
  /** Records that faded out of the hot index. */
  archived: string[]
}

/** What an episode says for long, and the episodes that say it. */
interface Found {
  readonly episode: MemoryRecord
  readonly content: string
  readonly from: readonly string[]
}

/** Records that one consolidation checks for having faded; all of them once in so many milliseconds, of the months that it takes. */
const CHECKED = 200
const CHECKED_EVERY_MS = 86_400_000

/** Makes long-term records of fresh episodes, and archives what has faded. The cost does not grow with what is remembered. */
export class Consolidation {
  readonly #store: RecordStore
  readonly #extract: ExtractFacts | undefined
  /** Where the last one stopped to look for what has faded. */
  #next: Iterator<{ record: MemoryRecord }, undefined> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(store: RecordStore, extract: ExtractFacts | undefined) {
    this.#store = store
    this.#extract = extract
  }

  /** @param createId makes the id of a record from its content */
  async run(now: number, createId: (content: string) => string): Promise<ConsolidationReport> {
    const report: ConsolidationReport = { promoted: [], merged: [], superseded: [], archived: [] }
    const unseen = [...this.#store.fresh]
    const fresh = unseen.flatMap((id) => {
      const episode = this.#store.get(id)
      return episode === undefined || this.#store.hasSource(sourceTag(id)) ? [] : [episode]
    })
    const found = fresh.flatMap((episode): Found[] => {
      const content = promotable(episode, () => this.#store.alike(episode))
      return content === undefined ? [] : [{ episode, content, from: [episode.id] }]
    })
    const facts = this.#extract === undefined ? [] : await groundedFacts(fresh, this.#extract)
    for (const one of [...found, ...facts]) await this.#promote(one, report, now, createId)
    await this.#store.markConsolidated(unseen)
    await this.#archiveFaded(report, now)
    return report
  }

  /** Makes a long-term record of what an episode says, or adds it to the one that says the same. */
  async #promote(
    { episode, content, from }: Found,
    report: ConsolidationReport,
    now: number,
    createId: (content: string) => string,
  ): Promise<void> {
    const tags = from.map(sourceTag)
    const current = this.#store.sameAs(content, episode, now)
    if (current !== undefined) {
      await this.#store.replace({
        ...current,
        tags: [...new Set([...current.tags, ...tags])],
        importance: Math.max(current.importance, episode.importance),
      })
      report.merged.push(current.id)
      return
    }
    const { expiresAt: _, ...kept } = episode
    const record: MemoryRecord = {
      ...kept,
      id: createId(content),
      layer: 'long-term',
      kind: episode.kind === 'event' || episode.kind === 'summary' ? 'fact' : episode.kind,
      content,
      tags: [...new Set([...episode.tags.filter((own) => own !== ARCHIVED), ...tags])],
      createdAt: isoTime(now),
      lastAccessedAt: isoTime(now),
    }
    await this.#store.keep(record)
    report.promoted.push(record.id)
    report.superseded.push(...(await this.#store.supersede(record)))
  }

  /** Looks at some records each time, and so at all of them in turn. */
  async #archiveFaded(report: ConsolidationReport, now: number): Promise<void> {
    if (this.#next === undefined) {
      if (Math.abs(now - this.#lookedAt) < CHECKED_EVERY_MS) return
      this.#next = this.#store.held.values()
    }
    for (let left = CHECKED; left > 0; left--) {
      const { value: held } = this.#next.next()
      if (held === undefined) {
        this.#next = undefined
        this.#lookedAt = now
        return
      }
      if (!hasFaded(held.record, now)) continue
      await this.#store.replace({ ...held.record, tags: [...held.record.tags, ARCHIVED] })
      report.archived.push(held.record.id)
    }
  }
}
