import type { JsonSchema } from '@svc/core'
import { parsed } from '../../shared/fields.ts'

/** A field of a form as the protocol has it: one text, number or switch, or one of a few words. */
type Field = Readonly<Record<string, unknown>> & { type: string }

/** What a person is asked to fill in, and how that becomes the answer that a run waits for. */
export interface Form {
  fields: Record<string, Field>
  required: string[]
  /** The answer in what was filled in. */
  read(content: Readonly<Record<string, unknown>>): unknown
  /** The answer of who does not want to answer; undefined where there is none. */
  refusal: unknown
}

const ANSWER = 'answer'
const KEYWORDS = ['title', 'description', 'minLength', 'maxLength', 'format', 'minimum', 'maximum', 'default', 'enum']
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time', undefined])
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/**
 * The form for an answer of a shape. Forms of the protocol are flat: an answer that is not is asked for as JSON in one text.
 *
 * @param schema of the answer; undefined: any text
 */
export function toForm(schema: JsonSchema | undefined): Form {
  if (schema === undefined) return oneField({ type: 'string', title: 'Answer' }, null)
  const { wanted, refusal } = withoutNull(schema)
  if (Array.isArray(wanted.enum)) {
    const words = wanted.enum.filter((word) => typeof word === 'string')
    return oneField({ type: 'string', title: 'Answer', enum: words }, wanted.enum.includes(null) ? null : refusal)
  }
  const field = toField(wanted)
  if (field !== undefined) return oneField({ title: 'Answer', ...field }, refusal)
  return toFields(wanted, refusal) ?? asJson(wanted, refusal)
}

const oneField = (field: Field, refusal: unknown): Form => ({
  fields: { [ANSWER]: field },
  required: [ANSWER],
  read: (content) => content[ANSWER],
  refusal,
})

/** A schema without the `null` that it allows a person to answer with who does not want to. */
function withoutNull(schema: JsonSchema): { wanted: JsonSchema; refusal: unknown } {
  const { anyOf, type } = schema
  if (Array.isArray(type) && type.includes('null')) {
    const [first, ...more] = type.filter((name) => name !== 'null')
    return { wanted: { ...schema, type: more.length === 0 ? first : type }, refusal: null }
  }
  if (!Array.isArray(anyOf)) return { wanted: schema, refusal: undefined }
  const others = anyOf.filter((branch) => (branch as JsonSchema | undefined)?.type !== 'null')
  const [only, ...more] = others as JsonSchema[]
  const hasNull = others.length < anyOf.length
  return { wanted: hasNull && only && more.length === 0 ? only : schema, refusal: hasNull ? null : undefined }
}

/** Undefined for what is no field of a form. */
function toField(schema: JsonSchema): Field | undefined {
  const { type, enum: words, format } = schema
  if (!PRIMITIVES.has(type) || !FORMATS.has(format)) return undefined
  if (words !== undefined && !(Array.isArray(words) && words.every((word) => typeof word === 'string')))
    return undefined
  return Object.fromEntries([
    ['type', type],
    ...KEYWORDS.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])),
  ])
}

/** One field for each of an object; what the schema leaves no choice about is not asked. */
function toFields({ type, properties, required }: JsonSchema, refusal: unknown): Form | undefined {
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return undefined
  const fields: Record<string, Field> = {}
  const fixed: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties as Record<string, JsonSchema>)) {
    const { const: value, enum: words } = property
    const field =
      value === undefined ? toField(Array.isArray(words) ? { type: 'string', ...property } : property) : undefined
    if (value !== undefined) fixed[name] = value
    else if (field !== undefined) fields[name] = field
    else if (property.type === undefined) fields[name] = { type: 'string', ...titleOf(property) }
    else return undefined
  }
  const asked = Array.isArray(required) ? required.map(String).filter((name) => name in fields) : []
  return {
    fields,
    required: asked,
    read: (content) => ({ ...fixed, ...content }),
    refusal: refusal ?? skipOf(fields, fixed),
  }
}

const titleOf = ({ title, description }: JsonSchema) => ({
  ...(typeof title === 'string' && { title }),
  ...(typeof description === 'string' && { description }),
})

/** Of a call in doubt: to leave it is the choice that does nothing. */
function skipOf({ choice }: Record<string, Field>, fixed: Record<string, unknown>): unknown {
  const words = choice?.enum
  return Array.isArray(words) && words.includes('skip') ? { ...fixed, choice: 'skip' } : undefined
}

function asJson(schema: JsonSchema, refusal: unknown): Form {
  const description = `JSON that fits ${JSON.stringify(schema).slice(0, 2_000)}`
  const form = oneField({ type: 'string', title: 'Answer', description }, refusal)
  const read = (content: Readonly<Record<string, unknown>>): unknown => {
    const text = form.read(content)
    return typeof text === 'string' ? parsed(text) : text
  }
  return { ...form, read }
}
