import type { toShown } from './evidence.ts'

const LONGEST_LINE = 100

/**
 * Two statements, of which it is known whether they are true, that are mixed into the others: that a piece holds one of its lines, and that it holds a line with one sign
 * changed. None where there is no such line. A reader that does not hold the one, or holds the other, does not read, and nothing that it says counts.
 */
export function toControls(shown: ReturnType<typeof toShown>) {
  const lines = shown.flatMap(({ number, text }) => {
    const [, ...below] = text.split('\n').map((line) => line.trim().slice(0, LONGEST_LINE).trim())
    return below.filter((line) => line.length > 3).map((line) => ({ number, line, isTrue: true }))
  })
  const told = lines.filter(({ line }) => /\d/.test(line))
  const [first, last] = told.length > 0 ? [told[0], told.at(-1)] : [lines[0], lines.at(-1)]
  if (first === undefined || last === undefined) return []
  const all = shown.map(({ text }) => text).join('\n')
  const changed = toChanged(last.line).find((line) => !all.includes(line))
  const controls = changed === undefined ? [] : [first, { ...last, line: changed, isTrue: false }]
  return controls.map((one) => ({ ...one, text: `[${one.number}] has the words: ${one.line}` }))
}

/** A line with its last digit changed, or else written from its end. */
const toChanged = (line: string): string[] =>
  [3, 4, 5, 6, 7, 8, 9]
    .map((step) => line.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + step) % 10)))
    .concat([...line].reverse().join(''))
