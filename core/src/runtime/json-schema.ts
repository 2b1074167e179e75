import { Meta } from 'typebox/schema'
import type { JsonSchema } from '../contracts/schema.ts'
import type { StandardSchema, Tool } from '../contracts/tool/tool.ts'
import { type FieldError, ValidationError } from '../errors.ts'
import { toPointer } from '../text/json-pointer.ts'
import { findErrors } from '../validate.ts'
import { checkByStandard, isStandard, toJsonSchema } from './standard-schema.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const MOST_DEPTH = 200

/** A value as a schema takes it, or what is wrong with it: JSON Schema leaves it as it is. */
export async function checkBySchema(
  schema: Tool['parameters'],
  given: unknown,
): Promise<{ value: unknown; errors?: undefined } | { value?: undefined; errors: FieldError[] }> {
  if (isStandard(schema)) return checkByStandard(schema, given)
  const errors = findErrors(schema, given)
  return errors.length === 0 ? { value: given } : { errors }
}

/** What is wrong with the parameters of a tool; undefined where a model can be shown them. */
export function findParametersError(parameters: unknown): FieldError | undefined {
  const isCallable = typeof parameters === 'function' && '~standard' in parameters
  if (!isObject(parameters) && !isCallable)
    return { path: '', message: `has to be JSON Schema, not ${toShown(parameters)}` }
  let schema: JsonSchema
  try {
    schema = toJsonSchema(parameters as Tool['parameters'])
  } catch (thrown) {
    if (thrown instanceof ValidationError) return { path: '', message: thrown.message }
    throw thrown
  }
  const error = findSchemaError(schema)
  if (error !== undefined) return error
  const { type = 'object' } = schema
  if ([type].flat().includes('object')) return undefined
  return { path: '/type', message: `must be "object", because a model gives arguments by name, not ${toShown(type)}` }
}

/** What is wrong with a JSON Schema; undefined where nothing is. Its dialect is what `$schema` says, else draft 2020-12. */
export function findSchemaError(schema: unknown): FieldError | undefined {
  const foreign = findForeign(schema, '')
  if (foreign !== undefined) return foreign
  if (!isObject(schema)) return { path: '', message: `has to be JSON Schema, not ${toShown(schema)}` }
  const dialects: Readonly<Record<string, object>> = Meta
  const { $schema } = schema as JsonSchema
  const dialect = Object.hasOwn(dialects, String($schema)) ? String($schema) : DIALECT
  const [error] = findErrors(dialects[dialect] ?? {}, schema)
  if (error === undefined) return findLostReference(schema, schema, '')
  return { path: error.path, message: `${error.message}, not ${toShown(valueAt(schema, error.path))}` }
}

/** Keywords that hold data, and those that hold schemas by names of their own. */
const DATA_KEYWORDS = ['const', 'enum', 'default', 'examples']
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** A `$ref` by a pointer into a schema's own text that leads to nothing. */
function findLostReference(schema: unknown, root: object, path: string, isNamed = false): FieldError | undefined {
  if (!isObject(schema)) return undefined
  const fields = schema as JsonSchema
  // What has an id of its own is a root of its own.
  if (!isNamed && path !== '' && typeof fields.$id === 'string') return findLostReference(schema, schema, '')
  for (const [name, inner] of Object.entries(fields)) {
    const place = toPointer(path, name)
    if (!isNamed && DATA_KEYWORDS.includes(name)) continue
    if (!isNamed && name === '$ref' && typeof inner === 'string' && /^#\//.test(inner)) {
      if (valueAt(root, decoded(inner.slice(1))) === undefined)
        return { path: place, message: `leads nowhere: there is no ${toShown(inner)}` }
    }
    const lost = findLostReference(inner, root, place, !isNamed && NAMED_SCHEMAS.includes(name))
    if (lost !== undefined) return lost
  }
  return undefined
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/**
 * @param whose of what it is, for the message
 * @throws ValidationError `validation_failed` with the place below `/outputSchema`
 */
export function assertOutputSchema(whose: string, schema: unknown): void {
  const error = schema === undefined ? undefined : findSchemaError(schema)
  if (error === undefined) return
  const path = `/outputSchema${error.path}`
  const errors = [{ path, message: error.message }]
  throw new ValidationError('validation_failed', `${whose}: ${path} ${error.message}`, { errors })
}

/** Something in a schema that is no plain data, such as a schema of a library. */
function findForeign(value: unknown, path: string, depth = 0): FieldError | undefined {
  if (typeof value === 'function' || isObject(value)) {
    if (depth > MOST_DEPTH) return { path: path.slice(0, 100), message: 'contains itself, or is too deep' }
    const vendor = vendorOf(value)
    if (vendor !== undefined && path === '') {
      const how = vendor === 'zod' ? 'hand over z.toJSONSchema(schema)' : 'hand over its JSON Schema'
      return { path, message: `is a schema of ${vendor}, not JSON Schema: ${how}` }
    }
    if (vendor !== undefined || !isPlain(value)) {
      return { path, message: 'is no plain data: a schema of a library is handed over whole, or as its JSON Schema' }
    }
    for (const [name, inner] of Object.entries(value)) {
      const error = findForeign(inner, toPointer(path, name), depth + 1)
      if (error !== undefined) return error
    }
  }
  return undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether it is an array, or an object of no class. */
export function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Whose schema a value is. Plain JSON Schema that a library made may remember it too, but not for all to see. */
function vendorOf(value: object): string | undefined {
  if (!('~standard' in value)) return undefined
  if (isPlain(value) && !Object.keys(value).includes('~standard')) return undefined
  return (value as StandardSchema)['~standard'].vendor
}

function valueAt(schema: object, path: string): unknown {
  const names = path.split('/').slice(1)
  return names.reduce<unknown>(
    (value, name) => (value as JsonSchema | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    schema,
  )
}

const toShown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 100)
