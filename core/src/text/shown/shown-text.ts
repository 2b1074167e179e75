import { toCode, toVisible } from './visible.ts'

/** So many blanks, and more, are counted instead of shown: they would push what comes after them out of sight. */
const MANY_BLANKS = 20
const MANY_LINES = 4

/** A line, or one of a diff, that shows nothing. */
const EMPTY = /^[+-]?\s*$/
const BLANKS = new RegExp(`[\\t\\v\\f\\r\\p{Zs}]{${MANY_BLANKS},}`, 'gu')
/** Blanks as JSON and as codes write them. */
const ONE_CODE = String.raw` |\\[nrt]|\\u\{(?:[9a-d]|85|a0|1680|20(?:0[0-9a]|2[89f]|5f)|3000|2800|115f|1160|3164|ffa0)\}`
const CODES = new RegExp(`(?:${ONE_CODE}){${MANY_BLANKS},}`, 'g')
const CODE = new RegExp(ONE_CODE, 'g')
/** Our own brackets, and marks that stand over nothing or pile up over one letter. */
const ODD = /[\u27e8\u27e9]|(?<=(?:^|\s|\p{M}{3}))\p{M}/gu
/** What looks like a space and is none. */
const ODD_BLANK = /(?! )\p{Zs}/gu

/**
 * What an agent wrote, as a person is to judge it: nothing in it is invisible, steers the terminal or draws over other
 * text, and long runs of blanks and of empty lines stand as their number, such as `⟨6000 spaces⟩`.
 */
export function toShownText(text: string): string {
  const lines: string[] = []
  let empty: string[] = []
  const close = (): void => {
    const [first = ''] = empty
    if (empty.length < MANY_LINES) lines.push(...empty)
    else lines.push(`${/^[+-]/.exec(first)?.[0] ?? ''}⟨${empty.length} empty lines⟩`)
    empty = []
  }
  for (const line of text.split('\n').map(toShownLine)) {
    const isLike = EMPTY.test(line) && line[0] === (empty[0] ?? line)[0]
    if (!isLike) close()
    if (EMPTY.test(line)) empty.push(line)
    else lines.push(line)
  }
  close()
  return lines.join('\n')
}

const toShownLine = (line: string): string =>
  toVisible(line.replace(ODD, toCode).replace(BLANKS, countBlanks))
    .replace(ODD_BLANK, toCode)
    .replace(CODES, (codes) => `⟨${codes.match(CODE)?.length} blanks⟩`)

/** More signs than these are counted. */
const MOST_NAMED = 8

/**
 * A path, a host or a command as a person is to judge it: on one line, and with the codes of the signs beyond ASCII, which may look like
 * others: `p\u0430ckage.json ⟨not ASCII: U+430⟩`.
 */
export function toShownPlace(place: string): string {
  const codes = new Set(
    place.match(/[^\0-\x7f]/gu)?.map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`),
  )
  const shown = toShownText(place).replaceAll('\n', '\\n')
  if (codes.size === 0) return shown
  const more = codes.size > MOST_NAMED ? ` and ${codes.size - MOST_NAMED} more` : ''
  return `${shown} ⟨not ASCII: ${[...codes].slice(0, MOST_NAMED).join(' ')}${more}⟩`
}

function countBlanks(blanks: string): string {
  const kinds = new Set(blanks)
  const noun = kinds.size > 1 ? 'blanks' : kinds.has(' ') ? 'spaces' : kinds.has('\t') ? 'tabs' : `× ${toCode(blanks)}`
  return `⟨${blanks.length} ${noun}⟩`
}
