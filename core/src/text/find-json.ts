import { isDeeper } from '../support/is-deeper.ts'

/** Beginnings of an object or array that are tried in running text. */
const MAX_STARTS = 8
/** What nests deeper runs those out of stack who look through it. */
const MAX_DEPTH = 200

/**
 * The JSON that a model was asked for and wrapped into something else.
 *
 * Tried in this order: the whole text, its code blocks, and, unless `strict`, the longest object or array in running text.
 * Linear in the length of the text.
 *
 * @param strict true: text around the JSON is an error; a code block may still hold it
 * @returns the value, or why there is none
 */
export function findJson(
  text: string,
  { strict = false } = {},
): { value: unknown } | { value?: undefined; error: string } {
  const trimmed = text.trim()
  const whole = parse(trimmed)
  if ('value' in whole) return whole
  for (const block of codeBlocks(trimmed)) {
    const found = parse(block)
    if ('value' in found) return found
  }
  if (strict) return whole
  let longest: { value: unknown } | undefined
  let length = 0
  let at = nextStart(trimmed, 0)
  for (let tries = 0; at !== -1 && tries < MAX_STARTS; tries++) {
    const end = endOfJson(trimmed, at)
    const found = end - at <= length ? whole : parse(trimmed.slice(at, end))
    if ('value' in found) {
      longest = found
      length = end - at
    }
    at = nextStart(trimmed, end === -1 ? at + 1 : end)
  }
  return longest ?? whole
}

function parse(text: string): { value: unknown } | { error: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, MAX_DEPTH) ? { error: `it is nested more than ${MAX_DEPTH} levels deep` } : { value }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * What stands between the first three backticks and the last, as texts in JSON may have code blocks of their own, then
 * what stands between each pair; without the name of the language.
 */
function codeBlocks(text: string): string[] {
  if (!text.includes('```')) return []
  const pieces = text.split('```')
  return [pieces.slice(1, -1).join('```'), ...pieces.filter((_, index) => index % 2 === 1)].map((block) =>
    block.slice(block.indexOf('\n') + 1),
  )
}

function nextStart(text: string, from: number): number {
  const object = text.indexOf('{', from)
  const array = text.indexOf('[', from)
  if (object === -1 || array === -1) return Math.max(object, array)
  return Math.min(object, array)
}

/** Behind the bracket that closes the one at `start`; -1 where none does. Brackets within strings do not count. */
export function endOfJson(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let index = start; index < text.length; index++) {
    const char = text[index]
    if (inString) {
      if (char === '\\') index++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return index + 1
  }
  return -1
}
