import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { spaceOf } from '../records/record-time.ts'

const SEED = 0x811c9dc5
const PRIME = 0x01000193
const SPACE = 0x20

type Wording = Pick<MemoryRecord, 'content' | 'threadId'>

/**
 * Ids of records by what they say: letter case, spaces and punctuation aside, within one space.
 *
 * Keys are hashes of 32 bits (FNV-1a), because the words themselves would double what a record takes.
 */
export class Wordings {
  readonly #ids = new Map<number, string[]>()

  add(record: MemoryRecord): void {
    const key = keyOf(record)
    const ids = this.#ids.get(key)
    if (ids === undefined) this.#ids.set(key, [record.id])
    else ids.push(record.id)
  }

  remove(record: MemoryRecord): void {
    const key = keyOf(record)
    const left = (this.#ids.get(key) ?? []).filter((id) => id !== record.id)
    if (left.length === 0) this.#ids.delete(key)
    else this.#ids.set(key, left)
  }

  /** Those that say the same, oldest first. */
  like(record: Wording): readonly string[] {
    return this.#ids.get(keyOf(record)) ?? []
  }
}

/** Whether two records say the same to the letter, spaces aside, within one space. */
export const isRepeated = (a: Wording, b: Wording): boolean =>
  a.threadId === b.threadId && withoutSpaces(a.content) === withoutSpaces(b.content)

const withoutSpaces = (text: string): string => text.replace(/\s+/gu, ' ').trim()

function keyOf(record: Wording): number {
  const text = `${spaceOf(record)} ${record.content.toLowerCase()}`
  let hash = SEED
  let wasLetter = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const isLetter = code > 0x7f || (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)
    if (isLetter && !wasLetter) hash = Math.imul(hash ^ SPACE, PRIME)
    if (isLetter) hash = Math.imul(hash ^ code, PRIME)
    wasLetter = isLetter
  }
  return hash >>> 0
}
