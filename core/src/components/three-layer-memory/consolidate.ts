import type { MemoryRecord } from '../../contracts/memory.ts'
import { jaccard, toStems } from '../../text/words.ts'
import { type Fact, factsOf, sentencesOf } from './facts.ts'
import { isExplicit, isWeighty } from './importance.ts'
import { ARCHIVED, sessionOf, spaceOf } from './record-time.ts'

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

const SAME = 0.8
const USES_TO_PROMOTE = 3
const SESSIONS_TO_PROMOTE = 2
const HALF_LIFE_MS = 30 * 86_400_000
const FADED = 0.05
const KEPT_FROM = 0.7

/** Tag of a long-term record: the episode that it was made from. */
export const sourceTag = (id: string): string => `from:${id}`

/**
 * What episodes have to say for long: whole texts, or the sentences that ask to be remembered.
 *
 * An episode is promoted when it is a decision, lesson, preference or procedure, when it was found three times, when
 * two sessions said the same, or when a trusted text asks for it. Words of an untrusted text never promote it.
 *
 * @param episodes all of them
 * @param fresh ids of those to look at
 */
export function promotable(
  episodes: readonly MemoryRecord[],
  fresh: ReadonlySet<string>,
): { episode: MemoryRecord; content: string }[] {
  const sessions = new Map<string, Set<string>>()
  for (const episode of episodes) {
    const key = keyOf(episode)
    const seen = sessions.get(key) ?? new Set()
    sessions.set(key, seen.add(episode.source.runId ?? sessionOf(episode) ?? ''))
  }
  const found: { episode: MemoryRecord; content: string }[] = []
  for (const episode of episodes) {
    if (!fresh.has(episode.id)) continue
    const repeated = (sessions.get(keyOf(episode))?.size ?? 0) >= SESSIONS_TO_PROMOTE
    if ((isWeighty(episode.kind) && episode.kind !== 'summary') || episode.accessCount >= USES_TO_PROMOTE || repeated) {
      found.push({ episode, content: episode.content })
    } else if (episode.trust === 'trusted') {
      const sentences = sentencesOf(episode.content).filter(isExplicit)
      if (sentences.length > 0) found.push({ episode, content: `${sentences.join('. ')}.` })
    }
  }
  return found
}

/** What records say, as it is compared at every consolidation: a record's text never changes. */
const keys = new WeakMap<MemoryRecord, string>()
const stemSets = new WeakMap<MemoryRecord, ReadonlySet<string>>()

/** Equal for episodes of one space with the same words. */
function keyOf(record: MemoryRecord): string {
  let key = keys.get(record)
  if (key === undefined) {
    key = `${spaceOf(record)}\n${[...new Set(toStems(record.content))].sort().join(' ')}`
    keys.set(record, key)
  }
  return key
}

function stemsOf(record: MemoryRecord): ReadonlySet<string> {
  let stems = stemSets.get(record)
  if (stems === undefined) {
    stems = new Set(toStems(record.content))
    stemSets.set(record, stems)
  }
  return stems
}

/** Finds long-term records that say the same as a text, within one space. */
export class SameFinder {
  readonly #known = new Map<string, { record: MemoryRecord; stems: ReadonlySet<string> }[]>()

  constructor(records: Iterable<MemoryRecord>) {
    for (const record of records) this.add(record)
  }

  add(record: MemoryRecord): void {
    const stems = stemsOf(record)
    for (const stem of prefixOf(stems)) {
      const key = `${spaceOf(record)}\n${stem}`
      const listed = this.#known.get(key)
      if (listed === undefined) this.#known.set(key, [{ record, stems }])
      else listed.push({ record, stems })
    }
  }

  /** The record with the same words, or four fifths of them; only among records of the same trust. */
  find(content: string, like: MemoryRecord): MemoryRecord | undefined {
    const stems = new Set(toStems(content))
    for (const stem of prefixOf(stems)) {
      for (const known of this.#known.get(`${spaceOf(like)}\n${stem}`) ?? []) {
        if (known.record.trust === like.trust && jaccard(stems, known.stems) >= SAME) return known.record
      }
    }
    return undefined
  }
}

/**
 * Two sets that share four fifths of their words share one of the first fifth, in any fixed order of words (prefix
 * filtering, Bayardo et al., 2007). Long words first: they are rarer.
 */
function prefixOf(stems: ReadonlySet<string>): string[] {
  const ordered = [...stems].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  return ordered.slice(0, Math.floor((1 - SAME) * ordered.length) + 1)
}

/**
 * Which records a new one makes untrue: same subject and attribute, other value, not newer. An untrusted record never
 * makes a trusted one untrue.
 */
export function contradicted(record: MemoryRecord, others: Iterable<MemoryRecord>): MemoryRecord[] {
  const facts = factsOf(record.content)
  if (facts.length === 0) return []
  const since = Date.parse(record.validFrom)
  const found: MemoryRecord[] = []
  for (const other of others) {
    if (other.id === record.id || other.validTo !== undefined || spaceOf(other) !== spaceOf(record)) continue
    if (Date.parse(other.validFrom) > since || (record.trust === 'untrusted' && other.trust === 'trusted')) continue
    if (factsOf(other.content).some((old) => facts.some((fact) => contradicts(fact, old)))) found.push(other)
  }
  return found
}

/** Under which keys a record's facts are found: space, subject and attribute. */
export const factKeys = (record: MemoryRecord): string[] =>
  factsOf(record.content).map(({ subject, attribute }) => `${spaceOf(record)}\n${subject}\n${attribute}`)

const contradicts = (fact: Fact, old: Fact): boolean =>
  fact.subject === old.subject && fact.attribute === old.attribute && fact.value !== old.value

/** Whether a record has faded: its strength halves every thirty days, more slowly the more it was used. */
export function hasFaded(record: MemoryRecord, now: number): boolean {
  if (record.layer === 'working' || record.importance >= KEPT_FROM || record.tags.includes(ARCHIVED)) return false
  const age = Math.max(0, now - Date.parse(record.createdAt))
  return 2 ** (-age / (HALF_LIFE_MS * (1 + record.accessCount))) < FADED
}
