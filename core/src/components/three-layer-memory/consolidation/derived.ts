import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { isSource, sourceTag } from '../records/record-time.ts'

/** Fewer words may stand anywhere by chance. */
const FEWEST_WORDS = 3

/** Tag of a summary whose run was shown a record. */
export const recalledTag = (id: string): string => `${RECALLED}${id}`
const RECALLED = 'recalled:'

/** Whether a tag names another record that this one was made of, or that its run was shown. */
export const isLink = (tag: string): boolean => isSource(tag) || tag.startsWith(RECALLED)

/**
 * The records that would still say what one says: what was made of it, what it was made of, the summaries of runs that
 * were shown it, those that quote all of it, and what goes with them in turn.
 */
export function sayingTheSame(record: MemoryRecord, all: readonly MemoryRecord[]): MemoryRecord[] {
  const found = new Map([[record.id, record]])
  const summaries = all
    .filter(({ kind, source }) => kind === 'summary' && source.runId !== undefined)
    .map((summary) => ({ summary, words: toWords(summary.content) }))
  for (const { id, tags, content } of found.values()) {
    const [from, seen, words] = [sourceTag(id), recalledTag(id), toWords(content)]
    for (const other of all)
      if (other.tags.includes(from) || tags.includes(sourceTag(other.id))) found.set(other.id, other)
    const isLong = words.split(' ').length >= FEWEST_WORDS
    for (const { summary, words: said } of summaries)
      if (summary.tags.includes(seen) || (isLong && said.includes(words))) found.set(summary.id, summary)
  }
  return [...found.values()]
}

const toWords = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
