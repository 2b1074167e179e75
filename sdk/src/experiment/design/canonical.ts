import { createHash } from 'node:crypto'
import { canonicalJson } from '@svc/core/support'

/**
 * A value as a text that is the same for equal values: keys in order, functions by their source, plugins by name and source.
 * What a function uses of its surroundings is not seen.
 */
export const canonical = (value: unknown): string => canonicalJson(value, ofCode) ?? 'null'

const ofCode = (part: unknown): unknown =>
  typeof part === 'function' ? `function ${part}` : part instanceof RegExp ? String(part) : part

/** SHA-256 in hexadecimal, of what `canonical` says. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')
