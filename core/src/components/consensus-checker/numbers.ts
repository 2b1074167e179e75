/** Words after a number that multiply it. */
const FACTORS: Readonly<Record<string, number>> = { hundred: 1e2, thousand: 1e3, k: 1e3, million: 1e6, billion: 1e9 }
const NUMBER = /[-+−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+)?(?:e[-+]?\d{1,3})?/giu
const MARK = /=|\banswer\b/giu
const FRACTION = /^\s*([-+−]?\d+)\s*\/\s*(\d+)(?:\s*\.)?\s*$/u

/** The numbers of a text in order; commas between thousands are read as such. */
export function numbersOf(text: string): number[] {
  const numbers: number[] = []
  for (const [match] of text.matchAll(NUMBER)) {
    if (!/\d/.test(match)) continue
    const value = toNumber(match)
    if (Number.isFinite(value)) numbers.push(value)
  }
  return numbers
}

/**
 * The number that a text gives: the last one, units left out, `thousand` and the like multiplied in; a fraction such as
 * `3/4` where that is all that stands after the last `=` or `answer`. Numbers that differ by less than one in a million
 * are written the same; whole numbers are exact.
 */
export function canonicalNumber(text: string): string | undefined {
  const lastDigit = text.search(/\d\D*$/)
  if (lastDigit < 0) return undefined
  let start = 0
  for (const mark of text.matchAll(MARK)) {
    if (mark.index < lastDigit) start = mark.index + mark[0].length
  }
  const marked = text.slice(start).replace(/^\s*(?:is\b)?[\s:$€£]*/iu, '')
  const fraction = FRACTION.exec(marked)
  if (fraction !== null && Number(fraction[2]) !== 0) return write(toNumber(fraction[1] ?? '') / Number(fraction[2]))
  const last = numbersOf(marked).at(-1)
  if (last === undefined) return undefined
  const factor = /^\d\s*(hundred|thousand|million|billion|k)\b/iu.exec(text.slice(lastDigit))?.[1]?.toLowerCase()
  return write(last * (factor === undefined ? 1 : (FACTORS[factor] ?? 1)))
}

const toNumber = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'))

function write(value: number): string {
  if (Number.isInteger(value)) return String(value === 0 ? 0 : value)
  return String(Number(value.toPrecision(7)))
}
