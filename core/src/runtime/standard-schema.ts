/** What svc does with schemas of libraries, in a browser too. */
import type { JsonSchema } from '../contracts/schema.ts'
import type { StandardResult, StandardSchema, Tool } from '../contracts/tool/tool.ts'
import { type FieldError, toSvcError, ValidationError } from '../errors.ts'

export const isStandard = (schema: object): schema is StandardSchema => '~standard' in schema

const known = new WeakMap<object, JsonSchema>()

/**
 * The JSON Schema that a model is shown of a tool: of a Standard Schema its input side, which is what a model has to give.
 *
 * @throws ValidationError `validation_failed` for a Standard Schema that cannot become JSON Schema
 */
export function toJsonSchema(parameters: Tool['parameters']): JsonSchema {
  if (!isStandard(parameters)) return parameters
  const converted = known.get(parameters) ?? convert(parameters)
  known.set(parameters, converted)
  return converted
}

function convert(schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard']
  // what libraries had before there was a standard for it
  const own = schema as { toJSONSchema?: (how: { io: 'input' }) => JsonSchema; toJsonSchema?: () => JsonSchema }
  try {
    const converted =
      jsonSchema?.input({ target: 'draft-2020-12' }) ?? own.toJSONSchema?.({ io: 'input' }) ?? own.toJsonSchema?.()
    if (converted !== undefined) return converted
  } catch (thrown) {
    const { place, message } = findUnrepresentable(schema) ?? {
      place: 'it',
      message: thrown instanceof Error ? thrown.message : String(thrown),
    }
    const instead = INSTEAD.find(([type]) => message.startsWith(type))?.[1]
    throw refusal(
      `cannot be shown to a model, because ${vendor} cannot make JSON Schema of ${place} (${message}). Use types that JSON has${instead === undefined ? '' : `, such as ${instead}`}`,
      thrown,
    )
  }
  const how =
    vendor === 'valibot' ? 'wrap it in toStandardJsonSchema() of @valibot/to-json-schema' : 'hand over JSON Schema'
  throw refusal(`is a schema of ${vendor} that has no JSON Schema of its own: ${how}`)
}

/** What to use for types of JavaScript that JSON does not have. */
const INSTEAD: readonly (readonly [type: string, instead: string])[] = [
  ['Date', 'a text for a date'],
  ['BigInt', 'a whole number or a text for a bigint'],
  ['Map', 'an object for a map'],
  ['Set', 'a list for a set'],
]

/** The first place that zod has no JSON Schema for, as `a.b[].when`; undefined of libraries that do not say it. */
function findUnrepresentable(schema: StandardSchema): { place: string; message: string } | undefined {
  let found: { place: string; message: string } | undefined
  const unrepresentable = ({ path, message }: { path: readonly PropertyKey[]; message: string }): 'any' => {
    found ??= { place: toPlace(path), message }
    return 'any'
  }
  try {
    schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: { unrepresentable } })
  } catch {
    return found
  }
  return found
}

/** A path in a JSON Schema as one in the value: `properties/a/items` is `a[]`. */
function toPlace(path: readonly PropertyKey[]): string {
  let place = ''
  for (let at = 0; at < path.length; at++) {
    const keyword = path[at]
    if (keyword === 'properties') place += `${place === '' ? '' : '.'}${String(path[++at])}`
    else if (keyword === 'items' || keyword === 'prefixItems') place += '[]'
    else if (keyword === 'additionalProperties') place += `${place === '' ? '' : '.'}*`
  }
  return place === '' ? 'it' : place
}

const refusal = (message: string, cause?: unknown): ValidationError =>
  new ValidationError('validation_failed', message, { errors: [{ path: '', message }], cause })

/** A value as a Standard Schema takes it, which may change it, or what is wrong with it. */
export async function checkByStandard(
  schema: StandardSchema,
  given: unknown,
): Promise<{ value: unknown; errors?: undefined } | { value?: undefined; errors: FieldError[] }> {
  let result: StandardResult
  try {
    result = await schema['~standard'].validate(given)
  } catch (thrown) {
    return { errors: [{ path: '', message: `could not be checked: ${toSvcError(thrown).message}` }] }
  }
  if (result.issues === undefined) return { value: result.value }
  return {
    errors: result.issues.map(({ message, path = [] }) => ({
      path: path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join(''),
      message,
    })),
  }
}
