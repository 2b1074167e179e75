const NUMBER = /[-+−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.\d+)?(?:e[-+]?\d{1,3})?/giu

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

/** The number that one reads, with commas between thousands and any minus sign. */
export const toNumber = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'))
