type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** A small value that fits a JSON Schema, as far as its plain words go: what a model could have answered. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isSchema(schema) || depth > 8) return null
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  for (const word of ['anyOf', 'oneOf', 'allOf'])
    if (Array.isArray(schema[word])) return sampleOf((schema[word] as unknown[])[0], depth + 1)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || isSchema(schema.properties)) return sampleObject(schema, depth)
  if (type === 'array') {
    const least = Math.max(1, Number(schema.minItems ?? 1))
    return Array.from({ length: least }, () => sampleOf(schema.items, depth + 1))
  }
  if (type === 'integer' || type === 'number') return sampleNumber(schema)
  if (type === 'boolean') return true
  if (type === 'null') return null
  return 'sample'.padEnd(Number(schema.minLength ?? 0), '.').slice(0, Number(schema.maxLength ?? 1_000))
}

function sampleObject(schema: Schema, depth: number): unknown {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, of]) => [name, sampleOf(of, depth + 1)]),
  )
}

function sampleNumber(schema: Schema): number {
  const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? 0)
  return 'exclusiveMinimum' in schema ? least + 1 : Math.max(least, Math.min(1, Number(schema.maximum ?? 1)))
}
