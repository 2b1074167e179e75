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
  const told = lines.filter(({ line }) => /\d/.test(line))
  const [first] = told.length > 0 ? told : lines
  const last = (told.length > 0 ? told : lines).at(-1)
  const changed = last && change(last.line, shown.map(({ text }) => text).join('\n'))
  if (first === undefined || last === undefined || changed === undefined) return []
  const say = (number: number, line: string, isTrue: boolean): Control => ({
    text: `[${number}] has the words: ${line}`,
    line,
    isTrue,
  })
  return [say(first.number, first.line, true), say(last.number, changed, false)]
}

/** The line with its last digit, or else its words, changed so that it stands nowhere. */
function change(line: string, all: string): string | undefined {
  for (let step = 3; step < 10; step++) {
    const changed = line.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + step) % 10))
    if (!all.includes(changed)) return changed
  }
  const turned = [...line].reverse().join('')
  return all.includes(turned) ? undefined : turned
}

/** Controls at fixed places between the statements, neither of them at an end where there is room. */
export function mix(statements: readonly string[], controls: readonly Control[]): string[] {
  const mixed = [...statements]
  for (const [index, { text }] of controls.entries())
    mixed.splice(Math.ceil(((index + 1) * (mixed.length + 1)) / 3) - 1, 0, text)
  return mixed
}
