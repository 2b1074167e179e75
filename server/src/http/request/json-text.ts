import { isUtf8 } from 'node:buffer'
import { ValidationError } from '@svc/core'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
/** More than any conversation has. Each takes many times the bytes that it is written with. */
const MOST_VALUES = 500_000

/**
 * Looks at the bytes of a JSON text before it is parsed.
 *
 * @returns how many fields its objects have together
 * @throws ValidationError `invalid_json` for what is not UTF-8, `json_too_deep`, `body_too_large` for too many values
 */
export function scanJson(bytes: Buffer, maxDepth: number): number {
  if (!isUtf8(bytes)) throw new ValidationError('invalid_json', 'the body is not UTF-8')
  let depth = 0
  let fields = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1)
    } else if (byte === COLON) {
      fields++
    } else if (byte === COMMA) {
      values++
    } else if (byte === 0x7b || byte === 0x5b) {
      values++
      depth++
      if (depth > maxDepth) {
        throw new ValidationError('json_too_deep', `the body is nested deeper than ${maxDepth} levels`)
      }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
    }
    if (values > MOST_VALUES)
      throw new ValidationError('body_too_large', `the body has more than ${MOST_VALUES} values`)
  }
  return fields
}

function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}

/**
 * Refuses what another reader of the same text would understand in another way: a field that stands twice in its object,
 * and the name under which objects keep their prototype.
 *
 * @param fields how many there are in the text
 * @throws ValidationError `invalid_json`
 */
export function checkFields(value: unknown, fields: number): void {
  if (countFields(value) === fields) return
  throw new ValidationError('invalid_json', 'the body names a field twice in one object')
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countFields(item), 0)
  let count = 0
  for (const [name, item] of Object.entries(value)) {
    if (name === '__proto__') throw new ValidationError('invalid_json', 'no field may be named "__proto__"')
    count += 1 + countFields(item)
  }
  return count
}
