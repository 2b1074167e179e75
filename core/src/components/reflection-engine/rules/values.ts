import { type Field, type Record, recordsOf } from '../evidence/records.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import type { Statement } from '../statements/to-statements.ts'
import { DENIES, toClauses } from '../told/language.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

const LONGEST_STATEMENT = 1_000
const MAX_CLAUSES = 50
/** An answer of so few words takes its subject from the task. */
const SHORTEST = 4

/** A value stands under its label in the entry that is named; the value of another entry there refutes. */
export const values: Rule = {
  id: 'values',
  trust: 0.9,
  hint: 'Copy each value from the place that the tools showed.',
  hold({ text, leaf, block, isRanked }, material) {
    const index = material.once('index of records', () => toIndex(recordsOf(material)))
    if (index.records.length === 0 || block !== undefined || text.length > LONGEST_STATEMENT) return undefined
    const task = material.once('task-tokens', () => new Set(toTokens(material.task.description)))
    if (leaf !== undefined) return holdLeaf(leaf, index, task)
    if (DENIES.test(text)) return undefined
    const said = new Set(toTokens(text))
    const namesEntry = index.records.some(({ id }) => id.length > 0 && has(said, id))
    const subject = namesEntry || said.size > SHORTEST ? [] : [...task]
    for (const clause of toClauses(text).slice(0, MAX_CLAUSES)) {
      const own = toTokens(clause)
      const wrong = findSwapped(new Set([...own, ...subject]), new Set(own), said.size <= SHORTEST, index)
      if (wrong !== undefined) return wrong
    }
    return isRanked
      ? undefined
      : holdAll(
          [...said].filter((token) => !isTelling(token)),
          index,
          task,
        )
  },
}

interface Entry {
  readonly record: Record
  readonly field: Field
}

interface Index {
  readonly records: readonly Record[]
  readonly byLabel: ReadonlyMap<string, readonly Entry[]>
}

const keyOf = (tokens: readonly string[]): string => tokens.join(' ')
const has = (known: ReadonlySet<string>, tokens: readonly string[]): boolean =>
  tokens.every((token) => known.has(token))

function toIndex(records: readonly Record[]): Index {
  const byLabel = new Map<string, Entry[]>()
  for (const record of records)
    for (const field of record.fields) {
      const key = keyOf(field.label)
      const known = byLabel.get(key)
      if (known === undefined) byLabel.set(key, [{ record, field }])
      else known.push({ record, field })
    }
  return { records, byLabel }
}

const entriesOf = ({ label }: Field, { byLabel }: Index): readonly Entry[] => byLabel.get(keyOf(label)) ?? []

/**
 * One entry is named in full and none beside it; of a label that is named, the value of another is said and its own is not.
 *
 * @param isBare the answer is hardly more than a value: then also a value of words, which prose says for many reasons
 */
function findSwapped(
  named: ReadonlySet<string>,
  said: ReadonlySet<string>,
  isBare: boolean,
  index: Index,
): Holding | undefined {
  for (const record of index.records) {
    if (record.id.length === 0 || !has(named, record.id)) continue
    for (const field of record.fields) {
      const isOwn = (entry: Entry): boolean => keyOf(entry.record.id) === keyOf(record.id)
      const entries = entriesOf(field, index)
      // The same entry may stand elsewhere with another value: before an edit, in another file.
      if (
        keyOf(field.value) === keyOf(record.id) ||
        entries.some((entry) => isOwn(entry) && has(said, entry.field.value))
      )
        continue
      const others = entries.filter((entry) => !isOwn(entry))
      if (others.some(({ record: { id } }) => id.length > 0 && has(named, id))) continue
      if (field.label.length === 0 || !has(named, field.label)) continue
      const isSwapped = others.some(
        ({ field: { value } }) =>
          has(said, value) &&
          (/^\d/.test(keyOf(value)) || (isBare && keyOf(value).length > 2)) &&
          !record.fields.some((one) => keyOf(one.value) === keyOf(value)) &&
          !value.every((token) => record.names.has(token) || record.place.has(token)),
      )
      if (isSwapped)
        return contradict('figure', `${field.label.join(' ')} of ${record.id.join(' ')} is ${field.raw}`, record.call)
    }
  }
  return undefined
}

/** All that is said are the values of one entry, and no other entry that the words fit has other ones. */
function holdAll(tokens: readonly string[], index: Index, task: ReadonlySet<string>): Holding | undefined {
  const said = new Set(tokens)
  const named = new Set([...said, ...task])
  const record = index.records.find((one) => {
    const told = one.fields.filter(({ label, value }) => label.length > 0 && has(said, value) && has(named, label))
    const known = [...one.names, ...one.place, ...told.flatMap(({ label, value }) => [...label, ...value])]
    const mayBeSaid = new Set([...known, ...[...task].filter((token) => !/^\d/.test(token))])
    const naming = [...one.names].filter((token) => named.has(token))
    return (
      told.length > 0 &&
      has(mayBeSaid, tokens) &&
      told.every((field) =>
        entriesOf(field, index).every(
          (entry) => keyOf(entry.field.value) === keyOf(field.value) || !has(entry.record.names, naming),
        ),
      )
    )
  })
  return record && support('figure', [record.call])
}

/** A leaf of a structured answer stands, with its key as label, in the entry that the path and the task name. */
function holdLeaf(
  { path, value }: NonNullable<Statement['leaf']>,
  { byLabel }: Index,
  task: ReadonlySet<string>,
): Holding | undefined {
  const label = path.findLast((key) => !/^\d+$/.test(key)) ?? ''
  const said = keyOf(toTokens(String(value ?? '')))
  const entries = byLabel.get(keyOf(toTokens(label))) ?? []
  const named = new Set([...path.flatMap(toTokens), ...task])
  const held = entries.find(({ record, field }) => {
    const naming = [...record.names].filter((token) => named.has(token))
    const isSaid = (other: Entry): boolean => keyOf(other.field.value) === said
    return keyOf(field.value) === said && entries.every((one) => isSaid(one) || !has(one.record.names, naming))
  })
  return held && said !== '' ? support('figure', [held.record.call]) : undefined
}
