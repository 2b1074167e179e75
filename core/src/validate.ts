import type { Static, TSchema } from 'typebox'
import { Check, Compile, Errors } from 'typebox/schema'
import { mustFit } from './contracts/ids.ts'
import { type FieldError, ValidationError } from './errors.ts'
import { toPointer } from './text/json-pointer.ts'

type Checker = (value: unknown) => boolean

/** Checks of one schema from which on compiling it pays: many are used once or twice in a process. */
const COMPILE_FROM = 3

const checkers = new WeakMap<object, { check: Checker; uses: number }>()

function fitsSchema(schema: object, value: unknown): boolean {
  let known = checkers.get(schema)
  if (known === undefined) {
    known = { check: (checked) => Check(schema, checked), uses: 0 }
    checkers.set(schema, known)
  }
  known.uses++
  if (known.uses === COMPILE_FROM) {
    const compiled = Compile(schema)
    known.check = (checked) => compiled.Check(checked)
  }
  return known.check(value)
}

/** Whether a value fits a schema (TypeBox or plain JSON Schema). A schema that is used often is compiled. */
export function fits<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return fitsSchema(schema, value)
}

/** What keeps a value from fitting a schema, at most 20 findings; empty when it fits. */
export function findErrors(schema: object, value: unknown): FieldError[] {
  return find(schema, value, ({ instancePath, message, keyword, params }) => [
    { path: instancePath, message: describe(message, keyword, params) },
  ])
}

/** The same, with each field that is missing or unknown under a pointer of its own. */
export function findFieldErrors(schema: object, value: unknown): FieldError[] {
  return find(schema, value, ({ instancePath, message, keyword, params }) => {
    const at = (name: string): string => toPointer(instancePath, name)
    const { requiredProperties, additionalProperties } = params as Record<string, unknown>
    if (keyword === 'required' && Array.isArray(requiredProperties))
      return requiredProperties.map((name: string) => ({ path: at(name), message: 'is required' }))
    if (keyword === 'additionalProperties' && Array.isArray(additionalProperties))
      return additionalProperties
        .slice(0, MOST_ERRORS)
        .map((name: string) => ({ path: at(name.slice(0, LONGEST_NAME)), message: 'is not a known field' }))
    return [{ path: instancePath, message: describe(message, keyword, params) }]
  })
}

const MOST_ERRORS = 20
/** Names of unknown fields come from outside: the longest that a message repeats. */
const LONGEST_NAME = 200

interface Finding {
  instancePath: string
  message: string
  keyword: string
  params: object
}

function find(schema: object, value: unknown, toErrors: (finding: Finding) => FieldError[]): FieldError[] {
  if (fitsSchema(schema, value)) return []
  const [, found] = Errors(schema, value)
  const errors = found
    .filter(({ keyword }) => keyword !== 'boolean') // the branch below an unknown field, reported as such by its parent
    .flatMap(toErrors)
  // A union reports each of its failed branches: the deepest pointers say most.
  const unique = errors.filter(
    (error, index) =>
      errors.findIndex((other) => other.path === error.path && other.message === error.message) === index,
  )
  return unique.slice(0, MOST_ERRORS)
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
    const names = params.additionalProperties.map((name) => JSON.stringify(String(name).slice(0, LONGEST_NAME)))
    const more = names.length > MOST_ERRORS ? `, and ${names.length - MOST_ERRORS} more` : ''
    return `has unknown ${names.length === 1 ? 'field' : 'fields'} ${names.slice(0, MOST_ERRORS).join(', ')}${more}`
  }
  if (keyword === 'pattern' && 'pattern' in params) return `must ${mustFit(String(params.pattern))}`
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
    throw new ValidationError('validation_failed', `${what}: ${first?.path || '/'} ${first?.message}`, {
      errors: findFieldErrors(schema, value),
    })
  }
  return value as Static<Schema>
}
