export type Check = (value: unknown) => boolean

type Keywords = Readonly<Record<string, unknown>>

/** How deep a schema may be; one that holds itself has no end. */
const MAX_DEPTH = 24

/** What says nothing about a value. */
const NOTES = ['description', 'title', 'default', 'examples', '~kind', '~optional', '~unsafe']
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'patternProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  boolean: [],
  null: [],
}

/** What TypeBox writes for any name, and what may stand for it where it is enough to be strict. */
const ANY_NAME = '^.*$'
const ANY: Pick<RegExp, 'test'> = { test: () => true }
/** Names that objects have without having been given them. */
const OWN_TO_OBJECTS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * A check in a few small functions that all schemas share, which the engine soon has optimized; a function made for one
 * schema runs once in a run and stays slow for thousands of runs.
 *
 * @returns a check that may be believed when it says yes; undefined for a schema with a keyword that it does not know
 */
export function quickCheck(schema: unknown, depth = 0): Check | undefined {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return undefined
  const keywords = schema as Keywords
  const { type, anyOf } = keywords
  const ofType = type === 'integer' ? KEYWORDS.number : KEYWORDS[String(type ?? 'null')]
  const known = ['type', 'anyOf', 'enum', 'const', ...NOTES, ...(ofType ?? [])]
  if (ofType === undefined || Reflect.ownKeys(keywords).some((name) => !known.includes(String(name)))) return undefined
  const checks: (Check | undefined)[] = []
  if (type !== undefined) checks.push(checkOfType(type, keywords, depth))
  if ('const' in keywords) checks.push(oneOf([keywords.const]))
  if ('enum' in keywords) checks.push(oneOf(keywords.enum))
  if ('anyOf' in keywords) checks.push(Array.isArray(anyOf) ? some(each(anyOf, depth)) : undefined)
  const given = sure(checks)
  if (given === undefined) return undefined
  const [first, ...more] = given
  if (first === undefined) return () => true
  return more.length === 0 ? first : (value) => given.every((check) => check(value))
}

/** All of the checks, or undefined where one is missing. */
const sure = (checks: readonly (Check | undefined)[]): Check[] | undefined =>
  checks.includes(undefined) ? undefined : (checks as Check[])

const each = (schemas: readonly unknown[], depth: number): Check[] | undefined =>
  sure(schemas.map((schema) => quickCheck(schema, depth + 1)))

const some = (checks: Check[] | undefined): Check | undefined =>
  checks && ((value) => checks.some((check) => check(value)))

function oneOf(values: unknown): Check | undefined {
  const isPlain = (value: unknown): boolean => value === null || /string|number|boolean/.test(typeof value)
  if (!Array.isArray(values) || !values.every(isPlain)) return undefined
  return (value) => values.indexOf(value) !== -1
}

function checkOfType(type: unknown, keywords: Keywords, depth: number): Check | undefined {
  switch (type) {
    case 'object':
      return keywords.patternProperties === undefined ? checkObject(keywords, depth) : checkRecord(keywords, depth)
    case 'array':
      return checkArray(keywords, depth)
    case 'string':
      return checkString(keywords)
    case 'number':
    case 'integer':
      return checkNumber(type === 'integer' ? Number.isInteger : Number.isFinite, keywords)
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'null':
      return (value) => value === null
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkObject(
  { properties = {}, required = [], additionalProperties }: Keywords,
  depth: number,
): Check | undefined {
  const isOpen = additionalProperties === undefined || additionalProperties === true
  if (!(isOpen || additionalProperties === false) || !isObject(properties) || !Array.isArray(required)) return undefined
  const names = Object.keys(properties)
  const checks = each(Object.values(properties), depth)
  if (checks === undefined || [...names, ...required].some((name) => OWN_TO_OBJECTS.has(name))) return undefined
  const isKnown = new Set(names)
  return (value) => {
    if (!isObject(value)) return false
    for (let at = 0; at < required.length; at++) if (value[required[at]] === undefined) return false
    for (let at = 0; at < names.length; at++) {
      const field = value[names[at] as string]
      if (field !== undefined && !(checks[at] as Check)(field)) return false
    }
    return isOpen || Object.getOwnPropertyNames(value).every((name) => isKnown.has(name))
  }
}

/** An object whose names say of what kind their values are. */
function checkRecord({ patternProperties, properties, required, ...more }: Keywords, depth: number): Check | undefined {
  const isOpen = more.additionalProperties === undefined
  if (!isObject(patternProperties) || properties !== undefined || required !== undefined) return undefined
  if (!isOpen && more.additionalProperties !== false) return undefined
  const forms = Object.keys(patternProperties).map((name) => (isOpen && name === ANY_NAME ? ANY : toRegExp(name)))
  const checks = each(Object.values(patternProperties), depth)
  if (checks === undefined || forms.includes(undefined)) return undefined
  return (value) =>
    isObject(value) &&
    Object.getOwnPropertyNames(value).every((name) => {
      let isNamed = isOpen
      for (let at = 0; at < checks.length; at++) {
        if (!(forms[at] as RegExp).test(name)) continue
        if (!(checks[at] as Check)(value[name])) return false
        isNamed = true
      }
      return isNamed
    })
}

function checkArray({ items = {}, minItems, maxItems }: Keywords, depth: number): Check | undefined {
  const check = Array.isArray(items) ? undefined : quickCheck(items, depth + 1)
  const hasLength = inRange({ minimum: minItems, maximum: maxItems })
  return check && hasLength && ((value) => Array.isArray(value) && hasLength(value.length) && value.every(check))
}

/** Lengths are counted in code points: a text has at most as many as units, and fewer where there are surrogates. */
function checkString({ minLength = 0, maxLength, pattern }: Keywords): Check | undefined {
  const hasLength = inRange({ minimum: minLength, maximum: maxLength })
  const forms = pattern === undefined ? [] : [typeof pattern === 'string' ? toRegExp(pattern) : undefined]
  if (Number(minLength) > 1) forms.push(NO_SURROGATES)
  if (hasLength === undefined || forms.includes(undefined)) return undefined
  if (forms.length === 0) return (value) => typeof value === 'string' && hasLength(value.length)
  return (value) =>
    typeof value === 'string' && hasLength(value.length) && forms.every((form) => (form as RegExp).test(value))
}

const NO_SURROGATES = /^[^\ud800-\udfff]*$/

function toRegExp(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

function checkNumber(isNumber: Check, keywords: Keywords): Check | undefined {
  const isWithin = inRange(keywords)
  return isWithin && ((value) => isNumber(value) && isWithin(value as number))
}

function inRange({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: Keywords): ((value: number) => boolean) | undefined {
  const isBound = (bound: unknown): boolean => bound === undefined || typeof bound === 'number'
  if (![minimum, maximum, exclusiveMinimum, exclusiveMaximum].every(isBound)) return undefined
  const [least, most] = [(minimum as number) ?? -Infinity, (maximum as number) ?? Infinity]
  const [above, below] = [exclusiveMinimum as number | undefined, exclusiveMaximum as number | undefined]
  return (value) =>
    value >= least && value <= most && (above === undefined || value > above) && (below === undefined || value < below)
}
