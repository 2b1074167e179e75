import { mustFit } from '../../contracts/ids.ts'
import type { FieldError } from '../../errors.ts'
import { toPointer } from '../../text/json-pointer.ts'
import { nearest } from '../../text/nearest.ts'
import { isRecord } from './read-data.ts'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
}

/**
 * Looks for fields that a schema does not know, and says which known field of the same level is closest.
 *
 * @param errors each finding is added here
 * @returns the value without the unknown fields, on objects without a prototype
 */
export function findUnknown(schema: object, value: unknown, pointer: string, errors: FieldError[]): unknown {
  const shape = branchFor(schema as Shape, value)
  if (Array.isArray(value)) {
    const { items } = shape
    return items === undefined
      ? value
      : value.map((item, at) => findUnknown(items, item, toPointer(pointer, at), errors))
  }
  if (!isRecord(value) || (shape.properties === undefined && shape.patternProperties === undefined)) return value
  const known: Record<string, unknown> = Object.create(null)
  for (const [key, field] of Object.entries(value)) {
    const path = toPointer(pointer, key)
    const inner = fieldShape(shape, key)
    if (key === '__proto__') errors.push({ path, message: 'is not allowed as a key' })
    else if (inner !== undefined) {
      // A field that is set to undefined is a field that was left out.
      if (field !== undefined) known[key] = findUnknown(inner, field, path, errors)
    } else if (shape.patternProperties !== undefined) {
      const fitting = Object.keys(shape.patternProperties).map(mustFit).join(' or ')
      errors.push({ path, message: `is not a valid name: it must ${fitting}` })
    } else if (shape.additionalProperties === false) {
      errors.push({ path, message: `is not a known setting${suggest(key, Object.keys(shape.properties ?? {}))}` })
    } else known[key] = field
  }
  return known
}

function suggest(key: string, names: string[]): string {
  const meant = nearest(key, names)
  if (meant !== undefined) return `; did you mean "${meant}"?`
  return names.length > 12 ? '' : `; known are ${names.join(', ')}`
}

function fieldShape(shape: Shape, key: string): Shape | undefined {
  if (shape.properties !== undefined && Object.hasOwn(shape.properties, key)) return shape.properties[key]
  return Object.entries(shape.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(key))?.[1]
}

/** Of alternatives, the one that knows most of the value's fields. */
function branchFor(shape: Shape, value: unknown): Shape {
  if (shape.anyOf === undefined || !isRecord(value)) return shape
  const score = ({ properties = {} }: Shape) =>
    Object.keys(value).filter((key) => Object.hasOwn(properties, key)).length
  const [first = {}, ...others] = shape.anyOf.filter(({ properties }) => properties !== undefined)
  return others.reduce((best, branch) => (score(branch) > score(best) ? branch : best), first)
}
