import { createHash } from 'node:crypto'

/**
 * A value as a text that is the same for equal values: keys in order, functions by their source, plugins by name and source.
 * What a function uses of its surroundings is not seen.
 */
export function canonical(value: unknown): string {
  if (typeof value === 'function') return JSON.stringify(`function ${value}`)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (value instanceof RegExp || value instanceof Date) return JSON.stringify(String(value))
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`
}

/** SHA-256 in hexadecimal, of what `canonical` says. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')
