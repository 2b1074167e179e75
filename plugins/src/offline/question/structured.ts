import { findErrors, type JsonSchema } from '@svc/core'
import type { Look } from '../look.ts'
import { FACT_NAMES, GROUP_NAMES } from '../read/manifest.ts'
import { readAskedManifest } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'

/** Values under names, as the skills found them. */
export type Facts = Readonly<Record<string, unknown>>

const TEXT_FIELDS = new Set(['summary', 'answer', 'text', 'output', 'explanation', 'result', 'response'])
/** Other names that people give to what a manifest says. */
const SAME: Readonly<Record<string, string>> = { licence: 'license', packagename: 'name', node: 'engines' }

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The fields of a schema; empty where it is not an object's. */
function fieldsOf(schema: JsonSchema): Record<string, JsonSchema> {
  const properties = schema.properties
  return typeof properties === 'object' && properties !== null ? { ...(properties as Record<string, JsonSchema>) } : {}
}

const nameOf = (field: string): string => {
  const plain = plainName(field)
  return SAME[plain] ?? [...FACT_NAMES, ...GROUP_NAMES].find((known) => plainName(known) === plain) ?? field
}

/** Whether a manifest could fill a field that the facts leave open. */
export function* addManifestFacts(session: ToolSession, schema: JsonSchema, facts: Facts): Look<Facts> {
  const wanted = Object.keys(fieldsOf(schema))
    .map(nameOf)
    .filter((name) => facts[name] === undefined && (FACT_NAMES.includes(name) || GROUP_NAMES.includes(name)))
  if (wanted.length === 0) return facts
  const manifest = yield* readAskedManifest(session)
  if (!manifest) return facts
  const added: Record<string, unknown> = {}
  for (const name of wanted) {
    const single = manifest.fact(name)
    const group = manifest.group(name)
    if (single) added[name] = single.value
    else if (group.length > 0) added[name] = Object.fromEntries(group.map((item) => [item.name, item.value]))
    else if (GROUP_NAMES.includes(name) && !FACT_NAMES.includes(name)) added[name] = {}
  }
  return { ...added, ...facts }
}

/** The facts in the shape asked for; undefined when a required field is not known or does not fit. Nothing is made up. */
export function toShape(schema: JsonSchema, facts: Facts, text: string): unknown {
  const fields = fieldsOf(schema)
  if (Object.keys(fields).length === 0) return undefined
  const known = new Map(Object.entries(facts).map(([name, value]) => [plainName(name), value]))
  const value: Record<string, unknown> = {}
  for (const [field, shape] of Object.entries(fields)) {
    const fact = known.get(plainName(field)) ?? known.get(plainName(nameOf(field)))
    const fitted = fact === undefined ? undefined : fit(shape, fact)
    if (fitted !== undefined) value[field] = fitted
    else if (TEXT_FIELDS.has(plainName(field)) && shape.type === 'string' && text !== '') value[field] = text
  }
  if (Object.keys(value).length === 0) return undefined
  return findErrors(schema, value).length === 0 ? value : undefined
}

/** A fact as the type that a field wants: the names or the number of a map, a number of digits, a text of anything plain. */
function fit(shape: JsonSchema, fact: unknown): unknown {
  const isMap = typeof fact === 'object' && fact !== null && !Array.isArray(fact)
  const candidates = isMap
    ? [fact, Object.keys(fact), Object.keys(fact).length, String(Object.values(fact)[0])]
    : [fact, [fact], Number(fact), String(fact), fact === 'true']
  return candidates.find((candidate) => findErrors(shape, candidate).length === 0)
}
