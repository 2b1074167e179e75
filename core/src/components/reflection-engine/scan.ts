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

/** One pass over a text. */
export function scan(text: string): Scan {
  const found: Scan = {
    digits: false,
    quotes: false,
    slashes: false,
    dots: false,
    equals: false,
    brackets: false,
    fences: false,
    lines: false,
  }
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 97 && code <= 122) continue
    if (code >= 48 && code <= 57) found.digits = true
    else if (code === 34 || code === 0x201c || code === 0xab) found.quotes = true
    else if (code === 47) found.slashes = true
    else if (code === 46)
      found.dots ||= isWordCode(text.charCodeAt(index - 1)) && isWordCode(text.charCodeAt(index + 1))
    else if (code === 61 || code === 0x2248) found.equals = true
    else if (code === 60 || code === 91 || code === 123) found.brackets = true
    else if (code === 96) found.fences ||= text.charCodeAt(index + 1) === 96 && text.charCodeAt(index + 2) === 96
    else if (code === 10) found.lines = true
  }
  return found
}

const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** The different words of a text in lower case, as far as they are written in a to z. Linear in its length. */
export function toPlainWords(text: string): Set<string> {
  const words = new Set<string>()
  const lower = text.toLowerCase()
  let start = -1
  for (let index = 0; index <= lower.length; index++) {
    const code = lower.charCodeAt(index)
    if (code >= 97 && code <= 122) {
      if (start === -1) start = index
    } else if (start !== -1) {
      words.add(lower.slice(start, index))
      start = -1
    }
  }
  return words
}
