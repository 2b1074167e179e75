import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { isExplicit, isWeighty } from '../records/importance.ts'
import { ARCHIVED, sessionOf } from '../records/record-time.ts'
import { statementsOf } from './facts.ts'

/** An episode that was found so often is promoted. */
export const USES_TO_PROMOTE = 3
const SESSIONS_TO_PROMOTE = 2
const HALF_LIFE_MS = 30 * 86_400_000
/** After which a record's strength is a twentieth. */
const LIFE_MS = HALF_LIFE_MS * Math.log2(20)
const KEPT_FROM = 0.7

/**
 * What an episode has to say for long: its whole text, the sentences that ask to be remembered, or nothing.
 *
 * The whole text of a decision, lesson, preference or procedure, of what was found three times, and of what two sessions
 * said; the sentences of a trusted text that ask for it. Words of an untrusted text never promote it, and summaries of
 * runs stay what they are: an answer that was given twice is no fact yet.
 *
 * @param alike gives the episodes that say the same, itself among them
 */
export function promotable(episode: MemoryRecord, alike: () => readonly MemoryRecord[]): string | undefined {
  if (episode.kind === 'summary') return undefined
  if (isWeighty(episode.kind) || episode.accessCount >= USES_TO_PROMOTE) return episode.content
  const sessions = new Set(alike().map((other) => other.source.runId ?? sessionOf(other) ?? ''))
  if (sessions.size >= SESSIONS_TO_PROMOTE) return episode.content
  if (episode.trust !== 'trusted') return undefined
  const sentences = statementsOf(episode.content).filter(isExplicit)
  return sentences.length === 0 ? undefined : `${sentences.join('. ')}.`
}

/** Whether a record has faded: its strength halves every thirty days, more slowly the more it was used. */
export function hasFaded(record: MemoryRecord, now: number): boolean {
  if (record.layer === 'working' || record.importance >= KEPT_FROM || record.tags.includes(ARCHIVED)) return false
  const age = Math.max(0, now - Date.parse(record.createdAt))
  return age > LIFE_MS * (1 + record.accessCount)
}
