import type { MemoryRecord } from '../../../contracts/memory/memory.ts'

/** Kinds that are worth more than what merely happened. */
const WEIGHTY: ReadonlySet<string> = new Set(['decision', 'lesson', 'preference', 'procedure'])
const EXPLICIT = /\b(?:remember|always|never|prefers?|preferred|decided|decision)\b/iu
const OUTCOME = /\b(?:succeeded|failed|fixed|solved|passed|completed|finished|released|shipped|error|because)\b/iu
const NUMBER_OR_NAME = /\d|(?<=[\p{Ll},;:] )\p{Lu}\p{L}/u

/** Whether the text asks to be kept: remember, always, never, prefer, decided. */
export const isExplicit = (content: string): boolean => EXPLICIT.test(content)

/** Whether records of this kind are kept for long whatever they say. */
export const isWeighty = (kind: MemoryRecord['kind']): boolean => WEIGHTY.has(kind)

/**
 * How much a record matters, in [0, 1]: .3, and .2 when the user said it, .2 for a decision, lesson, preference or
 * procedure, .1 each for a number or name, for an outcome, and for words that ask to be kept.
 */
export function importanceOf(record: Pick<MemoryRecord, 'content' | 'kind'> & { origin: string }): number {
  let importance = 0.3
  if (record.origin === 'user') importance += 0.2
  if (isWeighty(record.kind)) importance += 0.2
  if (NUMBER_OR_NAME.test(record.content)) importance += 0.1
  if (OUTCOME.test(record.content)) importance += 0.1
  if (isExplicit(record.content)) importance += 0.1
  return Math.min(1, Math.round(importance * 100) / 100)
}
