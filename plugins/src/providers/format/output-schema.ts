import type { JsonSchema } from '@svc/core'
import { isRecord, toList } from './json.ts'

/** What tells a model without schema support which JSON to answer. */
export function toSchemaInstruction(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else: no code fence, no sentence around it. It must fit this JSON Schema:\n${JSON.stringify(schema)}`
}

/** A name for the schema, as the wire format wants one. */
export function toSchemaName(schema: JsonSchema): string {
  const title = typeof schema.title === 'string' ? schema.title.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) : ''
  return title === '' ? 'answer' : title
}

/** Keywords under which a strict schema may hold further schemas, or which it may hold as they are. */
const STRICT_KEYWORDS = new Set(
  'type properties required additionalProperties items enum const anyOf description title $defs $ref'.split(' '),
)

/**
 * Whether OpenAI's strict mode takes a schema: every object closed, every property required, no keyword beyond those
 * that the decoder knows. Any other schema is sent as a hint.
 */
export function isStrictSchema(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'object' && isStrictPart(schema)
}

function isStrictPart(schema: unknown): boolean {
  if (!isRecord(schema) || !Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false
  const { properties, items, anyOf, $defs } = schema
  if (schema.type === 'object' || properties !== undefined) {
    if (schema.additionalProperties !== false || !isRecord(properties)) return false
    const required = new Set(toList(schema.required))
    if (!Object.keys(properties).every((name) => required.has(name))) return false
    if (!Object.values(properties).every(isStrictPart)) return false
  }
  if (schema.type === 'array' && items === undefined) return false
  const parts = [
    ...(items === undefined ? [] : [items]),
    ...toList(anyOf),
    ...Object.values(isRecord($defs) ? $defs : {}),
  ]
  const says = ['type', 'anyOf', 'enum', 'const', '$ref'].some((keyword) => schema[keyword] !== undefined)
  return says && parts.every(isStrictPart)
}
