/** JSON Schemas as words and rows. */
import { code, table, toProse } from './markdown.ts'

/** The parts of JSON Schema that our schemas use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** A field that a table has a row for. */
interface Field {
  /** From the object that the table is about: `limits.queuedRuns`, `rules[].tool`, `<id>.type`. */
  readonly path: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** The fields of a schema as a table. */
export function fieldTable(schema: Schema, prefix = ''): string {
  const fields = fieldsOf(schema, prefix)
  const hasDefaults = fields.some((field) => field.schema.default !== undefined)
  return table(
    ['field', 'type', ...(hasDefaults ? ['default'] : []), 'meaning'],
    fields.map(({ path, schema: value, isRequired }) => [
      code(path),
      `${typeOf(value)}${isRequired ? ', required' : ''}`,
      ...(hasDefaults ? [value.default === undefined ? '' : code(JSON.stringify(value.default))] : []),
      toProse(value.description ?? value.items?.description ?? ''),
    ]),
  )
}

/** The fields of an object, with those of the objects in it. */
function fieldsOf(schema: Schema, prefix: string): Field[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]): Field[] => {
    const own = { path: `${prefix}${name}`, schema: value, isRequired: required.has(name) }
    const inner = innerOf(value)
    if (inner === undefined) return [own]
    const fields = fieldsOf(inner.schema, `${own.path}${inner.suffix}`)
    // An object that only groups its fields says nothing that they do not say.
    return value.properties !== undefined && value.description === undefined ? fields : [own, ...fields]
  })
}

/** The object that a value is, or that each value of a list or a map is. */
export function innerOf(schema: Schema): { schema: Schema; suffix: string } | undefined {
  const [ofMap] = Object.values(schema.patternProperties ?? {})
  if (schema.properties !== undefined) return { schema, suffix: '.' }
  if (schema.items !== undefined) return hasFields(schema.items, '[].')
  if (ofMap !== undefined) return hasFields(ofMap, '.<id>.')
  return undefined
}

function hasFields(schema: Schema, suffix: string): { schema: Schema; suffix: string } | undefined {
  const found = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined)
  return found && { schema: found, suffix }
}

/** The type of a value in a few words. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, type } = schema
  const [ofMap] = Object.values(schema.patternProperties ?? {})
  if ($ref !== undefined) return linkTo($ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (items !== undefined)
    return `list of ${items.type === 'string' && items.enum === undefined ? 'text' : typeOf(items)}${bounds(undefined, schema.maxItems)}`
  if (ofMap !== undefined) return `map of ${typeOf(ofMap)}`
  if (type === 'string') return `text${bounds(undefined, schema.maxLength)}`
  if (type === 'integer' || type === 'number') return `${type}${bounds(leastOf(schema), schema.maximum)}`
  return type ?? 'any'
}

/** A named schema of the HTTP reference. */
const linkTo = (name: string): string => `[${name}](http.md#${name.toLowerCase()})`

const leastOf = ({ minimum, exclusiveMinimum }: Schema): string | undefined =>
  exclusiveMinimum === undefined ? minimum?.toString() : `above ${exclusiveMinimum}`

function bounds(least: string | undefined, most: number | undefined): string {
  if (most !== undefined) return least === undefined ? `, up to ${most}` : `, ${least} to ${most}`
  return least === undefined ? '' : `, ${/^\d/.test(least) ? 'from ' : ''}${least}`
}
