import type { JsonSchema, ModelAnswer } from '../../contracts/index.ts'
import type { FieldError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'

/** An answer read as JSON of a schema: its value, or what is wrong with it. */
export type ReadJson = { value: unknown; errors: readonly [] } | { value?: undefined; errors: readonly FieldError[] }

/** Reads an answer that was asked for JSON: what the model gateway parsed, else the text itself, else its first code block. */
export function readJson(schema: JsonSchema, { data }: Pick<ModelAnswer, 'data'>, text: string): ReadJson {
  if (data !== undefined) return check(schema, data)
  for (const candidate of [text, fenced(text)]) {
    if (candidate === undefined) continue
    try {
      return check(schema, JSON.parse(candidate))
    } catch {
      // The next candidate may be JSON.
    }
  }
  return { errors: [{ path: '', message: 'must be JSON and nothing else' }] }
}

/** Whatever JSON can be found in a text: all of it, its first code block, or what stands between its outermost brackets. */
export function findJson(text: string): unknown {
  for (const candidate of [text, fenced(text), between(text, '{', '}'), between(text, '[', ']')]) {
    if (candidate === undefined) continue
    try {
      return JSON.parse(candidate)
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open)
  const end = text.lastIndexOf(close)
  return start === -1 || end <= start ? undefined : text.slice(start, end + 1)
}

function check(schema: JsonSchema, value: unknown): ReadJson {
  const errors = findErrors(schema, value)
  return errors.length === 0 ? { value, errors: [] } : { errors }
}

function fenced(text: string): string | undefined {
  const start = text.indexOf('```')
  const line = start === -1 ? -1 : text.indexOf('\n', start)
  const end = line === -1 ? -1 : text.indexOf('```', line)
  return end === -1 ? undefined : text.slice(line + 1, end)
}
