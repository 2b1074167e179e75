import type { MemoryRecord } from '../../../contracts/memory/memory.ts'
import { spaceOf } from '../records/record-time.ts'
import { type Fact, factsOf } from './facts.ts'

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
