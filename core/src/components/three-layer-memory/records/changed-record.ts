import type { MemoryChange, MemoryRecord } from '../../../contracts/memory/memory.ts'
import { ValidationError } from '../../../errors.ts'
import { isoTime } from '../../../support/iso-time.ts'
import { isLink } from '../consolidation/derived.ts'
import { momentOf } from './record-scope.ts'
import { ARCHIVED } from './record-time.ts'

/**
 * The record as a person changes it. A new text makes it the person's own: trusted, of no run and made of nothing else.
 *
 * @throws ValidationError `validation_failed` for an end that is no time, or before the beginning
 */
export function changedRecord(record: MemoryRecord, { content, validTo, ...given }: MemoryChange): MemoryRecord {
  const { validTo: before, ...open } = record
  const end = validTo === undefined ? before : validTo === null ? undefined : toEnd(validTo, record)
  const links = content === undefined ? record.tags.filter(isLink) : []
  const tags = given.tags ?? record.tags.filter((tag) => content === undefined || tag !== ARCHIVED)
  return {
    ...(content === undefined ? open : ownOf(open, content)),
    ...given,
    tags: [...new Set([...tags.filter((tag) => !isLink(tag)), ...links])],
    ...(end !== undefined && { validTo: end }),
  }
}

function ownOf({ outcome: _, ...record }: Omit<MemoryRecord, 'validTo'>, content: string): typeof record {
  return { ...record, content, source: { origin: 'user' }, trust: 'trusted' }
}

function toEnd(text: string, { validFrom }: MemoryRecord): string {
  const end = momentOf(text, 'validTo')
  if (end >= Date.parse(validFrom)) return isoTime(end)
  const message = `validTo is ${text}, before the record is true from, ${validFrom}; it must be that or later`
  throw new ValidationError('validation_failed', message, { errors: [{ path: '/validTo', message }] })
}
