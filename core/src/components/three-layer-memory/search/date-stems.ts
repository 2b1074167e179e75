const NAMES = 'january february march april may june july august september october november december'
/** Numbers of months by name. */
const MONTHS: ReadonlyMap<string, number> = new Map(NAMES.split(' ').map((name, index) => [name, index + 1]))
const NUMBER = /^\d/
const ISO_DATE = /\b(\d{4})-(\d{2})(?:-(\d{2}))?\b/g

const year = (value: string | number) => `@year ${value}`
const month = (value: number) => `@month ${value}`
const day = (value: number) => `@day ${value}`

/** The date of a text as searchable stems that no word can be mistaken for. */
export function dateStems(at: number): string[] {
  const date = new Date(at)
  return [year(date.getUTCFullYear()), month(date.getUTCMonth() + 1), day(date.getUTCDate())]
}

/**
 * The dates that a query of these words names, as the same stems: years, names of months, days beside a month, ISO dates.
 * `may` counts as a month with a capital letter or beside a number.
 */
export function dateStemsOfQuery(words: readonly string[], query: string): string[] {
  const stems: string[] = []
  words.forEach((word, index) => {
    const named = MONTHS.get(word)
    if (named === undefined && !NUMBER.test(word)) return
    const beside = [words[index - 1] ?? '', words[index + 1] ?? '']
    if (
      named !== undefined &&
      (word !== 'may' || query.includes('May') || beside.some((other) => NUMBER.test(other)))
    ) {
      stems.push(month(named))
    }
    if (/^(?:19|20)\d\d$/.test(word)) stems.push(year(word))
    const ordinal = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)
    if (ordinal !== null && beside.some((other) => MONTHS.has(other))) stems.push(day(Number(ordinal[1])))
  })
  for (const [, , isoMonth, isoDay] of query.matchAll(ISO_DATE)) {
    stems.push(month(Number(isoMonth)))
    if (isoDay !== undefined) stems.push(day(Number(isoDay)))
  }
  return stems
}
