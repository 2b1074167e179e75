import { numbersOf, toNumber } from '../../text/numbers.ts'

/** Words after a number that multiply it. */
const FACTORS: Readonly<Record<string, number>> = { hundred: 1e2, thousand: 1e3, k: 1e3, million: 1e6, billion: 1e9 }
const MARK = /=|\banswer\b/giu
const FRACTION = /^\s*([-+−]?\d+)\s*\/\s*(\d+)(?:\s*\.)?\s*$/u

/** What an answer counts as that says there is no single number. */
const UNDETERMINED = 'undetermined'
const NOT_ENOUGH =
  /^(?:none|undetermined|undefined|unknown)\W*$|\b(?:not enough|insufficient) (?:information|data)\b|\b(?:cannot|can't|can not|could not|impossible to|not possible to) (?:be )?(?:determined?|calculated?|known|know|tell|say)\b/iu
/** A letter that stands for an unknown: `2h + 4`, `40 - b`, `15(x - 4)`, `17x/4`; not the units of `60 km/h` or `5 m`. */
const UNKNOWN =
  /(?<![\p{L}\\])[a-z]\s*(?:[+*×·−]|-(?!\p{L})|\/\s*\d)|(?:[+*×·−]|(?<=[\s\d)])-\s|\\(?:times|cdot))\s*[b-hj-z](?![\p{L}\p{N}])|\d[xyzn](?![\p{L}\p{N}])/u

/**
 * The number that a text gives: the last one, units left out, `thousand` and the like multiplied in; a fraction such as
 * `3/4` where that is all that stands after the last `=` or `answer`. Numbers that differ by less than one in a million
 * are written the same; whole numbers are exact. A formula with an unknown names no number: like an answer that says so, it
 * is `undetermined`.
 */
export function canonicalNumber(text: string): string | undefined {
  if (NOT_ENOUGH.test(text)) return UNDETERMINED
  const lastDigit = text.search(/\d\D*$/)
  if (lastDigit < 0) return UNKNOWN.test(text) ? UNDETERMINED : undefined
  let start = 0
  for (const mark of text.matchAll(MARK)) {
    if (mark.index < lastDigit) start = mark.index + mark[0].length
  }
  const marked = text.slice(start).replace(/^\s*(?:is\b)?[\s:$€£]*/iu, '')
  if (UNKNOWN.test(marked)) return UNDETERMINED
  const fraction = FRACTION.exec(marked)
  if (fraction !== null && Number(fraction[2]) !== 0) return write(toNumber(fraction[1] ?? '') / Number(fraction[2]))
  const last = numbersOf(marked).at(-1)
  if (last === undefined) return undefined
  const factor = /^\d\s*(hundred|thousand|million|billion|k)\b/iu.exec(text.slice(lastDigit))?.[1]?.toLowerCase()
  return write(last * (factor === undefined ? 1 : (FACTORS[factor] ?? 1)))
}

function write(value: number): string {
  if (Number.isInteger(value)) return String(value === 0 ? 0 : value)
  return String(Number(value.toPrecision(7)))
}
