/** Exact replacement in a text whose line endings are kept. */

/** One replacement: the text to find, with `\n` for any line ending, and what is to stand there. */
export interface Edit {
  readonly find: string
  readonly replace: string
  /** True: everywhere; else the text has to occur once. */
  readonly all?: boolean
}

/** The text after an edit, or why it cannot be made. */
export type Replaced = { readonly text: string; readonly places: number } | { readonly refusal: string }

const MOST_LINES_SHOWN = 10
const LONGEST_LINE = 300
const MOST_LINES_COMPARED = 50_000

/** Makes one edit. */
export function replaceText(text: string, { find, replace, all = false }: Edit): Replaced {
  const view = new LineView(text)
  const needle = toNewlines(find)
  const found = view.occurrences(needle, !all)
  if (found.length === 0) return { refusal: `is not in the file${describeNearest(view.plain, needle)}` }
  if (found.length > 1 && !all) {
    const lines = found.slice(0, MOST_LINES_SHOWN).map((at) => view.lineAt(at))
    const more = found.length > lines.length ? ` and ${found.length - lines.length} more` : ''
    return {
      refusal: `is in the file ${found.length} times, at lines ${lines.join(', ')}${more}: give more of its surroundings, or "all": true`,
    }
  }
  const pieces: string[] = []
  let at = 0
  for (const start of found) {
    const [from, to] = [view.toOriginal(start), view.toOriginal(start + needle.length)]
    pieces.push(text.slice(at, from), view.withEnding(toNewlines(replace), text.slice(from, to)))
    at = to
  }
  return { text: pieces.join('') + text.slice(at), places: found.length }
}

const toNewlines = (text: string): string => text.replaceAll('\r\n', '\n')

/** A text with `\n` at the end of each line, and the way back to the original. */
class LineView {
  readonly plain: string
  /** Where in the plain text a line ended in `\r\n`. */
  readonly #returns: number[] = []
  readonly #usesReturns: boolean

  constructor(text: string) {
    this.plain = toNewlines(text)
    let newlines = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      newlines++
      if (text[at - 1] === '\r') this.#returns.push(at - 1 - this.#returns.length)
    }
    this.#usesReturns = this.#returns.length * 2 > newlines
  }

  /** Where a text begins in the plain one. */
  occurrences(needle: string, mayOverlap: boolean): number[] {
    const found: number[] = []
    const step = mayOverlap ? 1 : needle.length
    for (let at = this.plain.indexOf(needle); at >= 0; at = this.plain.indexOf(needle, at + step)) found.push(at)
    return found
  }

  toOriginal(at: number): number {
    let [low, high] = [0, this.#returns.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#returns[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return at + low
  }

  /** A text with the ending that the lines it replaces have, else the one that most lines of the file have. */
  withEnding(plain: string, replaced: string): string {
    const returns = replaced.includes('\n') ? replaced.includes('\r\n') : this.#usesReturns
    return returns ? plain.replaceAll('\n', '\r\n') : plain
  }

  lineAt(at: number): number {
    let line = 1
    for (let next = this.plain.indexOf('\n'); next >= 0 && next < at; next = this.plain.indexOf('\n', next + 1)) line++
    return line
  }
}

/** The lines most like a text, as `; nearest is line 12:` and what stands there. */
function describeNearest(text: string, needle: string): string {
  const wanted = needle.split('\n')
  if (wanted.every((line) => line === '' || /^\d+\t/.test(line))) {
    return ': leave out the line numbers that read_file puts before each line'
  }
  // the longest line says most about where the text belongs
  const anchor = wanted.reduce(
    (best, line, index) => (line.trim().length > (wanted[best] ?? '').trim().length ? index : best),
    0,
  )
  const lines = text.split('\n', MOST_LINES_COMPARED)
  const best = mostAlike(lines, wanted[anchor] ?? '')
  if (best === undefined) return ', nor anything like it: read the file again'
  const start = Math.max(0, best - anchor)
  const shown = lines.slice(start, start + Math.min(wanted.length, MOST_LINES_SHOWN))
  const same = shown.map((line) => line.trim()).join('\n') === wanted.map((line) => line.trim()).join('\n')
  const numbered = shown.map((line, index) => `${start + index + 1}\t${line.slice(0, LONGEST_LINE)}`).join('\n')
  return `; ${same ? 'only its white space differs at' : 'nearest is'} line ${start + 1}:\n${numbered}`
}

function mostAlike(lines: readonly string[], wanted: string): number | undefined {
  const pairs = pairsOf(wanted)
  let [best, most] = [-1, 0.4]
  for (const [index, line] of lines.entries()) {
    const likeness = line.trim() === wanted.trim() ? 1 : compare(pairs, pairsOf(line))
    if (likeness > most) [best, most] = [index, likeness]
    if (most === 1) break
  }
  return best < 0 ? undefined : best
}

/** Pairs of neighbouring characters without white space, each once. */
function pairsOf(line: string): Set<string> {
  const text = line.slice(0, LONGEST_LINE).replace(/\s+/g, '')
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2))
  return pairs
}

/** Share of what two sets have in common (Dice's coefficient). */
function compare(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const pair of a) if (b.has(pair)) common++
  return (2 * common) / (a.size + b.size)
}
