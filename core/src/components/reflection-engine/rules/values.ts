import type { Claim } from '../../../contracts/stages/claim.ts'
import { type Field, type Record, toRecords } from '../evidence/records.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import type { Statement } from '../statements/to-statements.ts'
import { DENIES } from '../told/language.ts'
import { evidenceOf, type Holding, type Rule } from './rule.ts'

const CLAUSES = /[;()|→]|,(?!\d)\s|\s[–—-]\s|\b(?:and|und|et)\b|。|、/
const LONGEST_STATEMENT = 1_000
const MAX_CLAUSES = 50
/** An answer of so few words takes its subject from the task. */
const SHORTEST = 4

/** A value stands under its label, or arithmetic over such values gives it; the value of another entry refutes. */
export const values: Rule = {
  id: 'values',
  trust: 0.9,
  hint: 'Copy each value from the place that the tools showed.',
  hold(statement, material) {
    const records = material.once('records', () => toIndex(toRecords(material.calls)))
    if (records.all.length === 0 || statement.block || statement.text.length > LONGEST_STATEMENT) return undefined
    const task = material.once('task-tokens', () => new Set(toTokens(material.task.description)))
    if (statement.leaf !== undefined) return holdLeaf(statement.leaf, records, task)
    const denies = DENIES.test(statement.text)
    const clauses = statement.text
      .split(CLAUSES, MAX_CLAUSES)
      .map((clause) => toTokens(clause))
      .filter(({ length }) => length > 0)
    const whole = new Set(toTokens(statement.text))
    const isNaming = records.all.some(({ id }) => id.length > 0 && has(id, whole))
    for (const said of denies ? [] : clauses) {
      const wrong = contradiction(new Set(said), records, isNaming || whole.size > SHORTEST ? NOTHING : task)
      if (wrong !== undefined) return wrong
    }
    if (denies || statement.isRanked) return undefined
    const [first = ''] = statement.text.split(';', 1)
    return (/\d/.test(first) ? otherValue(toTokens(first), records) : undefined) ?? support(clauses, records, task)
  },
}

interface Index {
  readonly all: readonly Record[]
  /** By label, as one text. */
  readonly byLabel: ReadonlyMap<string, readonly Entry[]>
  /** By value, as one text. */
  readonly byValue: ReadonlyMap<string, readonly Entry[]>
}

interface Entry {
  readonly record: Record
  readonly field: Field
}

const keyOf = (tokens: readonly string[]): string => tokens.join(' ')

function toIndex(all: readonly Record[]): Index {
  const byLabel = new Map<string, Entry[]>()
  const byValue = new Map<string, Entry[]>()
  const put = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [entry])
    else known.push(entry)
  }
  for (const record of all)
    for (const field of record.fields) {
      put(byLabel, keyOf(field.label), { record, field })
      put(byValue, keyOf(field.value), { record, field })
    }
  return { all, byLabel, byValue }
}

const has = (tokens: readonly string[], said: ReadonlySet<string>): boolean => tokens.every((token) => said.has(token))

/** Values of a few letters or digits say nothing without their label. */
const isDistinct = ({ value }: Field): boolean => value.join('').length > 2

/** Whether a value tells its label: it stands under no other. */
const tellsLabel = ({ field }: Entry, { byValue }: Index): boolean =>
  isDistinct(field) &&
  (byValue.get(keyOf(field.value)) ?? []).every(({ field: other }) => keyOf(other.label) === keyOf(field.label))

const NOTHING: ReadonlySet<string> = new Set()

/**
 * One entry is named in full and no sibling of it; of a label, the value of a sibling is said and its own is not.
 */
function contradiction(said: ReadonlySet<string>, index: Index, task: ReadonlySet<string>): Holding | undefined {
  for (const record of index.all) {
    if (record.id.length === 0 || !(has(record.id, said) || has(record.id, task))) continue
    for (const field of record.fields) {
      if (keyOf(field.value) === keyOf(record.id) || has(field.value, said)) continue
      const siblings = (index.byLabel.get(keyOf(field.label)) ?? []).filter(
        ({ record: other }) => other !== record && keyOf(other.id) !== keyOf(record.id),
      )
      if (
        siblings.length === 0 ||
        siblings.some(({ record: { id } }) => id.length > 0 && (has(id, said) || has(id, task)))
      )
        continue
      // The same entry may stand elsewhere with another value: before an edit, in another file.
      const own = (index.byLabel.get(keyOf(field.label)) ?? []).filter(
        ({ record: { id } }) => keyOf(id) === keyOf(record.id),
      )
      if (own.some(({ field: { value } }) => has(value, said))) continue
      const isNamed = field.label.length > 0 && (has(field.label, said) || has(field.label, task))
      const other = siblings.find(
        (entry) =>
          has(entry.field.value, said) &&
          !record.fields.some(({ value }) => keyOf(value) === keyOf(entry.field.value)) &&
          !entry.field.value.every((token) => record.names.has(token) || record.place.has(token) || task.has(token)) &&
          (isNamed ? isDistinct(entry.field) || /^\d+$/.test(keyOf(entry.field.value)) : tellsLabel(entry, index)),
      )
      if (other === undefined) continue
      const label = field.label.length === 0 ? '' : `${field.label.join(' ')} of `
      return {
        verdict: 'contradicted',
        kind: 'figure',
        evidence: [evidenceOf(record.call)],
        why: `${label}${record.id.join(' ')} is ${field.raw}`,
      }
    }
  }
  return undefined
}

/** A label with one number that stands nowhere under it: what stands there is another number. */
function otherValue(said: readonly string[], index: Index): Holding | undefined {
  const tokens = said.filter((token) => !isTelling(token))
  const [number, second] = tokens.filter((token) => /^\d/.test(token))
  const label = tokens.filter((token) => token !== number)
  const entries =
    label.length === 0 || number === undefined || second !== undefined ? [] : (index.byLabel.get(keyOf(label)) ?? [])
  const [first, other] = entries
  if (
    first === undefined ||
    other !== undefined ||
    !entries.every(({ field: { value } }) => value.length === 1 && /^\d/.test(value[0] ?? ''))
  )
    return undefined
  if (entries.some(({ field: { value } }) => value[0] === number)) return undefined
  return {
    verdict: 'contradicted',
    kind: 'figure',
    evidence: [evidenceOf(first.record.call)],
    why: `${label.join(' ')} is ${first.field.raw}`,
  }
}

/** Each clause says the values of one entry and nothing else, and no other entry that fits its words has other ones. */
function support(clauses: readonly string[][], index: Index, task: ReadonlySet<string>): Holding | undefined {
  const evidence: Claim['evidence'] = []
  let last: Record | undefined
  for (const said of clauses.map((tokens) => tokens.filter((token) => !isTelling(token)))) {
    if (said.length === 0) continue
    const record = index.all.find((one) => isSaid(one, said, index, task, last))
    if (record === undefined) return undefined
    evidence.push(evidenceOf(record.call))
    last = record
  }
  return evidence.length === 0 ? undefined : { verdict: 'supported', kind: 'figure', evidence }
}

function isSaid(
  record: Record,
  tokens: readonly string[],
  index: Index,
  task: ReadonlySet<string>,
  last: Record | undefined,
): boolean {
  const said = new Set(tokens)
  const matched = record.fields.filter(({ value }) => has(value, said))
  const told = matched.filter(
    (field) =>
      (field.label.length > 0 && (has(field.label, said) || has(field.label, task))) ||
      tellsLabel({ record, field }, index),
  )
  if (told.length === 0) return false
  const known = new Set([
    ...record.names,
    ...record.place,
    ...(last?.names ?? []),
    ...told.flatMap(({ label, value }) => [...label, ...value]),
  ])
  if (!tokens.every((token) => known.has(token) || (task.has(token) && !/^\d/.test(token)))) return false
  const naming = [...record.names, ...record.place].filter(
    (token) => said.has(token) || task.has(token) || last?.names.has(token),
  )
  return told.every((field) =>
    (index.byLabel.get(keyOf(field.label)) ?? []).every(
      ({ record: other, field: { value } }) =>
        keyOf(value) === keyOf(field.value) ||
        naming.some((token) => !other.names.has(token) && !other.place.has(token)),
    ),
  )
}

/** A leaf of a structured answer stands, with its key as label, in the entry that the path and the task name. */
function holdLeaf(
  { path, value }: NonNullable<Statement['leaf']>,
  index: Index,
  task: ReadonlySet<string>,
): Holding | undefined {
  const label = path.findLast((key) => !/^\d+$/.test(key))
  if (label === undefined || value === null || value === '') return undefined
  const entries = index.byLabel.get(keyOf(toTokens(label))) ?? []
  const said = keyOf(toTokens(String(value)))
  const named = new Set([...path.flatMap(toTokens), ...task])
  const right = entries.filter(({ field }) => keyOf(field.value) === said)
  const fits = ({ record }: Entry): string[] => [...record.names].filter((token) => named.has(token))
  const held = right.find((entry) =>
    entries.every(
      (other) => keyOf(other.field.value) === said || fits(entry).some((token) => !other.record.names.has(token)),
    ),
  )
  if (held !== undefined) return { verdict: 'supported', kind: 'figure', evidence: [evidenceOf(held.record.call)] }
  return otherValue(toTokens(`${label} ${String(value)}`), index)
}
