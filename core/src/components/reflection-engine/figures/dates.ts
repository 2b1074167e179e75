/** A day, a month or a year, as far as it is written. */
export interface DateAtom {
  readonly text: string
  readonly index: number
  readonly year?: number
  readonly month: number
  readonly day?: number
}

/** Month names of English, German and French by their first letters, and the number that each stands for. */
const NAMES: readonly (readonly [RegExp, number])[] = [
  [/^jan/i, 1],
  [/^f(?:e|é)[bv]/i, 2],
  [/^m(?:ar|är|rz)/i, 3],
  [/^a[pv]r/i, 4],
  [/^ma[iy]/i, 5],
  [/^jui?n/i, 6],
  [/^jui?l/i, 7],
  [/^a(?:ug|o[uû])/i, 8],
  [/^sep/i, 9],
  [/^o[ck]t/i, 10],
  [/^nov/i, 11],
  [/^d[eé][cz]/i, 12],
]
const MONTH = String.raw`(?:jan(?:uary|uar|vier|\b)|feb(?:ruary|ruar|\b)|f[ée]v(?:rier)?|mar(?:ch|s|\b)|märz|apr(?:il|\b)|avril|ma[iy]|june?|juni|juin|july?|juli|juillet|aug(?:ust|\b)|août|sep(?:t(?:ember|embre)?)?|o[ck]t(?:ober|obre|\b)|nov(?:ember|embre|\b)|d[ée][cz](?:ember|embre|\b))\.?`
const DATES = new RegExp(
  String.raw`(?<y>\d{4})-(?<m>\d{2})(?:-(?<d>\d{2}))?(?!\d)|(?<![\d.,])(?<d2>\d{1,2})\.\s?(?<m2>0?[1-9]|1[0-2])\.(?:\s?(?<y2>\d{4})|(?=\s\S|[),;–-]))|(?:(?<y3>\d{4})年)?(?<m3>\d{1,2})月(?!曜)(?:(?<d3>\d{1,2})日)?|(?<![\d.,:])(?<d4>\d{1,2})(?:st|nd|rd|th|er|\.)?\s(?:of\s)?(?<n4>${MONTH})(?:,?\s(?<y4>\d{4}))?(?![\p{L}])|(?<n5>${MONTH})\s(?:(?<d5>\d{1,2})(?:st|nd|rd|th)?(?:,\s(?<y5>\d{4}))?|(?<y6>\d{4}))(?![\p{L}\d])`,
  'giu',
)

/** The dates of a text, as English, German, French and Japanese write them, in order. */
export function toDates(text: string): DateAtom[] {
  return [...text.matchAll(DATES)].flatMap(({ 0: whole, index, groups = {} }): DateAtom[] => {
    const pick = (...names: string[]): number | undefined => {
      const found = names.map((name) => groups[name]).find((value) => value !== undefined)
      return found === undefined ? undefined : Number(found)
    }
    const name = groups.n4 ?? groups.n5
    const month = pick('m', 'm2', 'm3') ?? NAMES.find(([start]) => start.test(name ?? ''))?.[1]
    const day = pick('d', 'd2', 'd3', 'd4', 'd5')
    const year = pick('y', 'y2', 'y3', 'y4', 'y5', 'y6')
    if (month === undefined || month < 1 || month > 12 || (day !== undefined && (day < 1 || day > 31))) return []
    return [{ text: whole, index, month, ...(day !== undefined && { day }), ...(year !== undefined && { year }) }]
  })
}

/** Whether what both say of a date is the same. */
export const agree = (a: DateAtom, b: DateAtom): boolean =>
  a.month === b.month &&
  (a.day === undefined || b.day === undefined || a.day === b.day) &&
  (a.year === undefined || b.year === undefined || a.year === b.year)

/** Whether so many days, weeks, months or years before or after one date are another, to the day before or after. */
export function leadsTo(from: DateAtom, step: number, to: DateAtom): boolean {
  const year = from.year ?? to.year ?? 2001
  const day = from.day ?? 1
  const wanted = Date.UTC(to.year ?? year, to.month - 1, to.day ?? 1) / DAY
  return [-step, step]
    .flatMap((count) => [
      Date.UTC(year, from.month - 1, day + count),
      Date.UTC(year, from.month - 1, day + 7 * count),
      Date.UTC(year, from.month - 1 + count, day),
      Date.UTC(year + count, from.month - 1, day),
    ])
    .some((reached) => Math.abs(reached / DAY - wanted) <= (to.day === undefined ? 31 : 1))
}

const DAY = 86_400_000
const TIME = /(?<![\d:.])(\d{1,2})[:h](\d{2})(?::(\d{2}))?(?![\d:])/g

/** The times of day in a text, in seconds. */
export const toTimes = (text: string): number[] =>
  [...text.matchAll(TIME)].map(([, hours, minutes, seconds = '0']) =>
    [hours, minutes, seconds].map(Number).reduce((sum, part) => sum * 60 + part, 0),
  )

/** A text with dates, times and versions blanked out, so that the rest of its numbers are amounts. */
export function withoutDates(text: string): string {
  const blank = (whole: string): string => ' '.repeat(whole.length)
  return text
    .replace(DATES, blank)
    .replace(/\d{4}-\d{2}-\d{2}T?/g, blank)
    .replace(TIME, blank)
    .replace(/(?<![\d.])v?\d+(?:\.\d+){2,}/gi, blank)
}
