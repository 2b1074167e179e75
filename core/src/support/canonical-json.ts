/**
 * JSON with the names of each object in order: equal values give equal texts. Recordings are found by hashes of it, so what it
 * gives for a value never changes.
 *
 * @param write what stands for a part of the value, for what JSON has no form of; default the part itself
 */
export function canonicalJson(value: unknown, write: (part: unknown) => unknown = (part) => part): string {
  return JSON.stringify(value, (_, found) => {
    const part = write(found)
    return typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  })
}
