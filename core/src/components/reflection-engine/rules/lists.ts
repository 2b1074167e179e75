import type { Call } from '../../../text/calls/call.ts'
import { type Record, toRecords } from '../evidence/records.ts'
import { toTokens } from '../evidence/tokens.ts'
import { DENIES } from '../told/language.ts'
import { evidenceOf, type Rule } from './rule.ts'

const FEWEST = 3
/** From this share of the listed entries on it is what they are listed for. */
const MOST = 2 / 3
const LONGEST_STATEMENT = 1_000

interface Entry {
  readonly call: Call
  readonly id: readonly string[]
  readonly group: string
  /** Value tokens with the label that they stand under. */
  readonly values: ReadonlyMap<string, string>
}

/** Entries that are listed for a value all have it in their source. */
export const lists: Rule = {
  id: 'lists',
  trust: 0.9,
  hint: 'Go through the source entry by entry, and list only those that have what was asked for.',
  hold({ text, block, leaf }, material) {
    if (block !== undefined || leaf !== undefined || text.length > LONGEST_STATEMENT || DENIES.test(text)) return undefined
    const entries = material.once('entries', () => toRecords(material.calls).flatMap(toEntries))
    const said = new Set(toTokens(text))
    const listed = entries.filter(({ id }) => id.every((token) => said.has(token)))
    if (listed.length < FEWEST) return undefined
    for (const { group, values } of listed) {
      const siblings = listed.filter((entry) => entry.group === group)
      if (siblings.length < FEWEST) continue
      for (const [token, label] of values) {
        if (!said.has(token) || !(label === '' || label.split(' ').some((part) => said.has(part)))) continue
        const without = siblings.filter((entry) => !entry.values.has(token))
        const [odd] = without
        // What is listed with its own value is not listed for that of the others.
        const isOwn = odd !== undefined && label !== '' && [...odd.values].some(([own, of]) => of === label && said.has(own))
        if (odd === undefined || isOwn || siblings.length - without.length < MOST * siblings.length) continue
        return {
          verdict: 'contradicted',
          kind: 'figure',
          evidence: [evidenceOf(odd.call)],
          why: `${odd.id.join(' ')} has no ${[label, token].join(' ').trim()} there`,
        }
      }
    }
    return undefined
  },
}

/** A record by its id; of a record of several keys, each key with its values. */
function toEntries({ call, id, fields }: Record): Entry[] {
  const labels = fields.map(({ label }) => label.join(' '))
  const own = { call, id, group: `${call.index} ${labels.join()}`, values: valuesOf(fields) }
  const keys = fields.map((field) => ({
    call,
    id: field.label,
    group: `${call.index} keys of ${id.join(' ')}`,
    values: new Map(field.value.map((token): [string, string] => [token, ''])),
  }))
  return [own, ...(fields.length < FEWEST ? [] : keys)].filter((entry) => entry.id.length > 0)
}

const valuesOf = (fields: Record['fields']): Map<string, string> =>
  new Map(fields.flatMap(({ label, value }) => value.map((token): [string, string] => [token, label.join(' ')])))
