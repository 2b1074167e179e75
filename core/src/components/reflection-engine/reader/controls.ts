import type { Shown } from './evidence.ts'

/** A statement on the evidence itself, of which it is known whether it is true. */
export interface Control {
  readonly text: string
  readonly line: string
  readonly isTrue: boolean
}

const LONGEST_LINE = 100

/**
 * Two statements that are mixed into the others: that a piece holds one of its lines, and that it holds a line with one sign
 * changed. None where there is no such line. A reader that does not hold the one, or holds the other, does not read, and nothing that it says counts.
 */
export function toControls(shown: readonly Shown[]): Control[] {
  const lines = shown.flatMap(({ number, text }) =>
    text
      .split('\n')
      .slice(1)
      .map((line) => ({ number, line: line.trim().slice(0, LONGEST_LINE).trim() }))
      .filter(({ line }) => line.length > 3),
  )
  const told = lines.some(({ line }) => /\d/.test(line)) ? lines.filter(({ line }) => /\d/.test(line)) : lines
  const [first, last] = [told[0], told.at(-1)]
  const changed = last && change(last.line, shown.map(({ text }) => text).join('\n'))
  if (first === undefined || changed === undefined) return []
  return [
    { ...first, isTrue: true },
    { number: last?.number ?? 0, line: changed, isTrue: false },
  ].map(({ number, line, isTrue }) => ({ text: `[${number}] has the words: ${line}`, line, isTrue }))
}

/** The line with its last digit, or else its words, changed so that it stands nowhere. */
const change = (line: string, all: string): string | undefined =>
  [3, 4, 5, 6, 7, 8, 9]
    .map((step) => line.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + step) % 10)))
    .concat([...line].reverse().join(''))
    .find((changed) => !all.includes(changed))
