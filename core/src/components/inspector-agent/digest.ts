/**
 * A short name for a text: equal texts have equal names, different ones practically never (64 bits and the length).
 *
 * Two multiply-and-xor hashes (Fowler, Noll, Vo) with different primes; not for secrets.
 */
export function digest(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b) + (low >>> 7)
  }
  return `${(low >>> 0).toString(36)}.${(high >>> 0).toString(36)}.${text.length}`
}

/** JSON with sorted keys, so that the order of arguments does not matter. */
export function toCanonical(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth > 16) return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map((item) => toCanonical(item, depth + 1)).join(',')}]`
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${toCanonical(item, depth + 1)}`)
  return `{${fields.join(',')}}`
}
