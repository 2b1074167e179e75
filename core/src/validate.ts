import { createContext, Script } from 'node:vm'
import type { Static, TSchema } from 'typebox'
import { Check, Compile, Errors } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { mustFit } from './contracts/ids.ts'
import { type FieldError, ValidationError } from './errors.ts'
import { describeErrors } from './text/describe-errors.ts'
import { toPointer } from './text/json-pointer.ts'

type Checker = (value: unknown) => boolean

/** Checks of one schema from which on compiling it pays: many are used once or twice in a process. */
const COMPILE_FROM = 3

const checkers = new WeakMap<object, { check: Checker; uses: number; ends?: boolean }>()

function checkerOf(schema: object) {
  let known = checkers.get(schema)
  if (known === undefined) {
    known = { check: (checked) => Check(schema, checked), uses: 0 }
    checkers.set(schema, known)
  }
  return known
}

/** Whether a value fits a schema (TypeBox or plain JSON Schema). A schema that is used often is compiled. */
export function fits<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  const known = checkerOf(schema)
  known.uses++
  if (known.uses === COMPILE_FROM) {
    const compiled = Compile(schema)
    known.check = (checked) => compiled.Check(checked)
  }
  return known.check(value)
}

/**
 * What keeps a value from fitting a schema, at most 20 findings; empty when it fits. A schema that somebody else wrote may ask for
 * more than a process has time for: what takes longer than a second is a finding.
 */
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
/** Branches of unions fail one by one, and what several say alike counts once. */
const MOST_LOOKED_AT = 200
/** Names of unknown fields come from outside: the longest that a message repeats. */
const LONGEST_NAME = 200

interface Finding {
  instancePath: string
  message: string
  keyword: string
  params: object
}

const MOST_MS = 1_000
const MOST_TRIES = 5
/** Share of its time in which a check had a processor. */
const STARVED = 0.3
const ENDLESS = { path: '', message: 'cannot be held against the schema: that takes more than a second, or never ends' }
const work = new Script('check()')
let context: { check?: (() => Finding[]) | undefined } | undefined

/** What a check finds. It is stopped wherever it is when its time is up, also within a regular expression. */
function findInTime(check: () => Finding[]): Finding[] | undefined {
  context ??= createContext(Object.create(null)) as object
  for (let tries = 1; ; tries++) {
    context.check = check
    const before = process.cpuUsage()
    try {
      return work.runInContext(context, { timeout: MOST_MS })
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      const isTimeUp = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      // A process that was stopped, or had no processor, has not looked for so long.
      if (isTimeUp && tries < MOST_TRIES && process.cpuUsage(before).user < STARVED * MOST_MS * 1_000) continue
      if (isTimeUp || thrown instanceof RangeError) return undefined
      throw thrown
    } finally {
      context.check = undefined
    }
  }
}

function find(schema: object, value: unknown, toErrors: (finding: Finding) => FieldError[]): FieldError[] {
  const isBounded = ends(schema)
  if (isBounded && fits(schema, value)) return []
  const check = (): Finding[] => Errors(schema, value)[1]
  // The setting is put back out here: what is stopped runs no `finally`.
  const found = withMoreErrors(() => (isBounded ? check() : findInTime(() => (fits(schema, value) ? [] : check()))))
  if (found === undefined) return [ENDLESS]
  const errors = found
    .filter(({ keyword }) => keyword !== 'boolean') // the branch below an unknown field, reported as such by its parent
    .flatMap(toErrors)
  // A union reports each of its failed branches: the deepest pointers say most.
  const unique = new Map(errors.map((error) => [`${error.path} ${error.message}`, error]))
  return [...unique.values()].slice(0, MOST_ERRORS)
}

/** TypeBox stops after eight errors, by a setting that all programs of a process share. */
function withMoreErrors<Result>(work: () => Result): Result {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: MOST_LOOKED_AT })
  try {
    return work()
  } finally {
    Settings.Set({ maxErrors })
  }
}

const MAY_BACKTRACK = /"(?:pattern|patternProperties|\$(?:dynamic|recursive)?[Rr]ef)":/

/** Whether a schema has neither patterns nor references, or TypeBox made it: it marks its own by fields that no JSON has. */
function ends(schema: object): boolean {
  const known = checkerOf(schema)
  known.ends ??=
    Object.getOwnPropertyNames(schema).length > Object.keys(schema).length ||
    !MAY_BACKTRACK.test(JSON.stringify(schema))
  return known.ends
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
  const errors = findFieldErrors(schema, value)
  if (errors.length > 0)
    throw new ValidationError('validation_failed', `${what}: ${describeErrors(errors)}`, { errors })
  return value as Static<Schema>
}
