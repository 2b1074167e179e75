/** What holds JSON of the client's own. */
const OPAQUE: ReadonlySet<string> = new Set(['data', 'metadata'])

/** A request as JSON of protocol buffers may be written: with names such as `context_id`, and null for what is not there. */
export function fromProtoJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromProtoJson)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const known = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return field === null && !OPAQUE.has(known) ? [] : [[known, OPAQUE.has(known) ? field : fromProtoJson(field)]]
  })
  return Object.fromEntries(fields)
}
