import { isStopWord, toStem } from '../../../text/index.ts'

/** Words, numbers with their separators, and what stands in other scripts. */
const TOKEN = /\d+(?:[.,:'’\u00a0\u202f ]?\d+)*|[\p{L}][\p{L}\p{M}\d_]*/gu
const GROUPED = /^\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/
const ISO_DATE = /\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b/g
const MONTHS = [
  'january januar janvier jan',
  'february februar février feb',
  'march märz mars mar',
  'april avril apr',
  'may mai',
  'june juni juin jun',
  'july juli juillet jul',
  'august août aug',
  'september septembre sep',
  'october oktober octobre oct',
  'november novembre nov',
  'december dezember décembre dec',
].map((names) => names.split(' '))

/** A word in the form in which words are compared; a number as its digits. */
export interface Token {
  readonly text: string
  readonly isNumber: boolean
  /** Begins with a capital letter inside of a sentence, or is written like code. */
  readonly isName: boolean
}

/** The tokens of a text that say something, in order. */
export function toTokens(text: string): Token[] {
  const found: Token[] = []
  for (const { 0: raw, index } of text.normalize('NFKC').matchAll(TOKEN)) {
    if (/^\d/.test(raw)) {
      for (const part of toNumbers(raw)) found.push({ text: part, isNumber: true, isName: false })
      continue
    }
    const before = text.slice(Math.max(0, index - 3), index)
    const isInside = index > 0 && !/[.!?:\n]\s*$|^\s*[-*•]?\s*$/.test(before)
    const isName = /[\p{Ll}\d_]\p{Lu}|_/u.test(raw) || (isInside && /^\p{Lu}/u.test(raw))
    for (const part of raw
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
      .toLowerCase()
      .split('_')) {
      if (part !== '' && !isStopWord(part)) found.push({ text: toStem(part), isNumber: false, isName })
    }
  }
  return found
}

/** A number without the signs between thousands; of what is no one number, its parts. */
function toNumbers(raw: string): string[] {
  if (GROUPED.test(raw)) {
    const mark = /[.,'’\u00a0\u202f ]/.exec(raw)?.[0] ?? ','
    const decimal = mark === '.' ? ',' : '.'
    const [whole = '', rest] = raw.split(decimal)
    return [plain(whole.replace(/\D/g, ''), rest)]
  }
  const simple = /^(\d+)(?:[.,](\d+))?$/.exec(raw)
  if (simple !== null) return [plain(simple[1] ?? '', simple[2])]
  return raw.split(/\D+/).map((part) => plain(part, undefined))
}

const plain = (whole: string, decimals: string | undefined): string => {
  const rest = decimals?.replace(/0+$/, '') ?? ''
  const digits = whole.replace(/^0+(?=\d)/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}

/** The tokens of a text as a set; a date in figures also with the names of its month. */
export function toTokenSet(text: string): Set<string> {
  const tokens = new Set(toTokens(text).map((token) => token.text))
  for (const [, , month = ''] of text.matchAll(ISO_DATE)) {
    for (const name of MONTHS[Number(month) - 1] ?? []) tokens.add(toStem(name))
  }
  return tokens
}
