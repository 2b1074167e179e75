/** A day, a month or a year, as far as it is written. */
export interface DateAtom {
  readonly text: string
  readonly year?: number
  readonly month: number
  readonly day?: number
}

/** Month names of English, German and French, in the order of the year. */
const MONTHS = [
  String.raw`jan(?:uary|uar|vier|\b)`,
  String.raw`feb(?:ruary|ruar|\b)|f[ée]v(?:rier)?`,
  String.raw`mar(?:ch|s|\b)|märz`,
  String.raw`apr(?:il|\b)|avril`,
  'ma[iy]',
  'june?|juni|juin',
  'july?|juli|juillet',
  String.raw`aug(?:ust|\b)|août`,
  'sep(?:t(?:ember|embre)?)?',
  String.raw`o[ck]t(?:ober|obre|\b)`,
  String.raw`nov(?:ember|embre|\b)`,
  String.raw`d[ée][cz](?:ember|embre|\b)`,
]
const MONTH = String.raw`(?:${MONTHS.join('|')})\.?`
const DATES = new RegExp(
  String.raw`(?<y>\d{4})-(?<m>\d{2})(?:-(?<d>\d{2}))?(?!\d)|(?<![\d.,])(?<d2>\d{1,2})\.\s?(?<m2>0?[1-9]|1[0-2])\.(?:\s?(?<y2>\d{4})|(?=\s\S|[),;–-]))|(?:(?<y3>\d{4})年)?(?<m3>\d{1,2})月(?!曜)(?:(?<d3>\d{1,2})日)?|(?<![\d.,:])(?<d4>\d{1,2})(?:st|nd|rd|th|er|\.)?\s(?:of\s)?(?<n4>${MONTH})(?:,?\s(?<y4>\d{4}))?(?![\p{L}])|(?<n5>${MONTH})\s(?:(?<d5>\d{1,2})(?:st|nd|rd|th)?(?:,\s(?<y5>\d{4}))?|(?<y6>\d{4}))(?![\p{L}\d])`,
  'giu',
)

/** The dates of a text, as English, German, French and Japanese write them, in order. */
export function toDates(text: string): DateAtom[] {
  return [...text.matchAll(DATES)].flatMap(({ 0: whole, groups = {} }): DateAtom[] => {
    const pick = (...names: string[]): number | undefined => {
      const found = names.map((name) => groups[name]).find((value) => value !== undefined)
      return found === undefined ? undefined : Number(found)
    }
    const name = groups.n4 ?? groups.n5
    const month =
      pick('m', 'm2', 'm3') ?? MONTHS.findIndex((one) => new RegExp(`^(?:${one})`, 'iu').test(name ?? '')) + 1
    const day = pick('d', 'd2', 'd3', 'd4', 'd5')
    const year = pick('y', 'y2', 'y3', 'y4', 'y5', 'y6')
    if (month < 1 || month > 12 || (day !== undefined && (day < 1 || day > 31))) return []
    return [{ text: whole, month, ...(day !== undefined && { day }), ...(year !== undefined && { year }) }]
  })
}

/** Whether what both say of a date is the same. */
export const agree = (a: DateAtom, b: DateAtom): boolean =>
  a.month === b.month &&
  (a.day === undefined || b.day === undefined || a.day === b.day) &&
  (a.year === undefined || b.year === undefined || a.year === b.year)

/** Whether so many days, weeks, months or years lie between two dates, to a day or two. */
export function leadsTo(from: DateAtom, step: number, to: DateAtom): boolean {
  const toDay = ({ year = from.year ?? to.year ?? 2001, month, day = 1 }: DateAtom): number =>
    Date.UTC(year, month - 1, day) / 86_400_000
  const days = Math.abs(toDay(to) - toDay(from))
  const slack = to.day === undefined ? 31 : 2
  return [1, 7, 30.44, 365.25].some((unit) => Math.abs(days - step * unit) <= Math.min(slack, unit))
}

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
