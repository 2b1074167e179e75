import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/value'
import { type FieldError, ValidationError } from './errors.ts'

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly { instancePath: string; message: string; keyword: string; params: object }[]
}

/** Checks of one schema from which on compiling it pays: many are used once or twice in a process. */
const COMPILE_FROM = 3

const validators = new WeakMap<object, { validator: Validator; uses: number }>()

function validatorOf(schema: object): Validator {
  let known = validators.get(schema)
  if (known === undefined) {
    known = { validator: toInterpreter(schema as TSchema), uses: 0 }
    validators.set(schema, known)
  }
  known.uses++
  if (known.uses === COMPILE_FROM) known.validator = Compile(schema as TSchema) as Validator
  return known.validator
}

const toInterpreter = (schema: TSchema): Validator => ({
  Check: (value) => Check(schema, value),
  Errors: (value) => Errors(schema, value) as ReturnType<Validator['Errors']>,
})

/** Whether a value fits a schema (TypeBox or plain JSON Schema). A schema that is used often is compiled. */
export function fits<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return validatorOf(schema).Check(value)
}

/** What keeps a value from fitting a schema, at most 20 findings; empty when it fits. */
export function findErrors(schema: object, value: unknown): FieldError[] {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return []
  const errors = validator
    .Errors(value)
    .filter(({ keyword }) => keyword !== 'boolean') // the branch below an unknown field, reported as such by its parent
    .map(({ instancePath, message, keyword, params }) => ({
      path: instancePath,
      message: describe(message, keyword, params),
    }))
  // A union reports each of its failed branches: the deepest pointers say most.
  const unique = errors.filter(
    (error, index) =>
      errors.findIndex((other) => other.path === error.path && other.message === error.message) === index,
  )
  return unique.slice(0, 20)
}

function describe(message: string, keyword: string, params: object): string {
  if (keyword === 'enum' && 'allowedValues' in params && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
  }
  if (
    keyword === 'additionalProperties' &&
    'additionalProperties' in params &&
    Array.isArray(params.additionalProperties)
  ) {
    return `has unknown ${params.additionalProperties.length === 1 ? 'field' : 'fields'} ${params.additionalProperties.map((name) => JSON.stringify(name)).join(', ')}`
  }
  return message
}

/**
 * Hands back a value that fits a schema.
 *
 * @param what names the value in the message, such as `run options`
 * @throws ValidationError `validation_failed` with a pointer and a sentence for each thing that is wrong
 */
export function parse<Schema extends TSchema>(schema: Schema, value: unknown, what: string): Static<Schema> {
  const errors = findErrors(schema, value)
  if (errors.length > 0) {
    const [first] = errors
    throw new ValidationError('validation_failed', `${what}: ${first?.path || '/'} ${first?.message}`, { errors })
  }
  return value as Static<Schema>
}
