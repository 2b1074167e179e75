import type { TObject } from 'typebox'

interface Shape {
  type?: string
}

/**
 * The query of a URL as its schema means it: numbers, switches and lists are texts there. What does not read as such
 * stays a text, for the check to refuse.
 */
export function readQuery(schema: TObject | undefined, url: string): Record<string, unknown> {
  const at = url.indexOf('?')
  const values: Record<string, unknown> = Object.create(null)
  if (at === -1) return { ...values }
  for (const [name, text] of new URLSearchParams(url.slice(at + 1))) {
    const shape = (schema?.properties as Record<string, Shape> | undefined)?.[name]
    // A second value makes a list, which no single value fits.
    if (Object.hasOwn(values, name)) values[name] = [values[name], text].flat()
    else values[name] = read(shape, text)
  }
  return { ...values }
}

function read(shape: Shape | undefined, text: string): unknown {
  if (shape?.type === 'integer' || shape?.type === 'number')
    // JavaScript and Python write what is near 0 with an exponent.
    return /^-?\d{1,15}(\.\d+)?(e-\d{1,3})?$/.test(text) ? Number(text) : text
  if (shape?.type === 'boolean')
    return text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : text
  if (shape?.type === 'array') return text.split(',').filter((part) => part !== '')
  return text
}
