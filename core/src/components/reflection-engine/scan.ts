/** What kinds of characters a text holds: what no check needs is not looked for. */
export interface Scan {
  digits: boolean
  /** Straight or curled double quotation marks, or guillemets. */
  quotes: boolean
  slashes: boolean
  /** A full stop with a letter or digit on both sides, as in file names and versions. */
  dots: boolean
  /** `=` or `≈`. */
  equals: boolean
  /** Brackets that placeholders are written in, `<`, `[`, `{`. */
  brackets: boolean
  fences: boolean
  /** More than one line. */
  lines: boolean
}

/** Linear in the length of the text; searches of the engine itself are several times as fast as a loop over characters. */
export const scan = (text: string): Scan => ({
  digits: /[0-9]/.test(text),
  quotes: /["“«]/.test(text),
  slashes: text.includes('/'),
  dots: hasInnerDot(text),
  equals: text.includes('=') || text.includes('≈'),
  brackets: /[<[{]/.test(text),
  fences: text.includes('```'),
  lines: text.includes('\n'),
})

function hasInnerDot(text: string): boolean {
  for (let at = text.indexOf('.'); at !== -1; at = text.indexOf('.', at + 1))
    if (isWordCode(text.charCodeAt(at - 1)) && isWordCode(text.charCodeAt(at + 1))) return true
  return false
}

const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Places of words that are remembered, so that a word that comes again is not cut out of the text again; a power of two. */
const RECENT = 512
/** Shorter texts repeat too little for that, in characters. */
const LONG = 600

/** The different words of a text in lower case, as far as they are written in a to z. Linear in its length. */
export function toPlainWords(text: string): Set<string> {
  const words = new Set<string>()
  const lower = text.toLowerCase()
  const recent = lower.length < LONG ? undefined : new Int32Array(RECENT)
  let start = -1
  let hash = 0
  for (let index = 0; index <= lower.length; index++) {
    const code = index < lower.length ? lower.charCodeAt(index) : 0
    if (code >= 97 && code <= 122) {
      if (start === -1) {
        start = index
        hash = 0
      }
      hash = (Math.imul(hash, 31) + code) | 0
    } else if (start !== -1) {
      const slot = (hash ^ (hash >>> 9)) & (RECENT - 1)
      const before = (recent?.[slot] ?? 0) - 1
      if (before === -1 || !isSameWord(lower, before, start, index)) {
        words.add(lower.slice(start, index))
        if (recent !== undefined) recent[slot] = start + 1
      }
      start = -1
    }
  }
  return words
}

/** Whether the word that begins at `before` is the one from `start` to `end`. */
function isSameWord(text: string, before: number, start: number, end: number): boolean {
  for (let index = start; index < end; index++)
    if (text.charCodeAt(before + index - start) !== text.charCodeAt(index)) return false
  const next = before + end - start
  if (next >= text.length) return true
  const after = text.charCodeAt(next)
  return after < 97 || after > 122
}
