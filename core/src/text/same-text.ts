import { numbersOf } from './numbers.ts'
import { containment, jaccard, toStems, toWords } from './words.ts'

const NEGATION: ReadonlySet<string> = new Set(
  'no not never none neither nor cannot without nothing nobody isn aren wasn weren don doesn didn won wouldn can couldn shouldn hasn haven hadn'.split(
    ' ',
  ),
)

/** What two free texts are compared by. */
export interface TextShape {
  readonly stems: ReadonlySet<string>
  /** Distinct numbers, ascending. */
  readonly numbers: string
  /** Whether the negations of the text cancel out. */
  readonly affirms: boolean
}

export function shapeOf(text: string): TextShape {
  const words = toWords(text)
  const negations = words.filter((word, index) => NEGATION.has(word) && (word !== 'can' || words[index + 1] === 't'))
  return {
    stems: new Set(toStems(text)),
    numbers: [...new Set(numbersOf(text))].sort((a, b) => a - b).join(' '),
    affirms: negations.length % 2 === 0,
  }
}

/**
 * Whether two free texts give the same answer: equal numbers, equal parity of negation, and four fifths of all words or
 * nine tenths of each text's words in common. What is only alike in meaning counts as different.
 */
export function isSameText(a: TextShape, b: TextShape): boolean {
  if (a.numbers !== b.numbers || a.affirms !== b.affirms) return false
  if (jaccard(a.stems, b.stems) >= 0.8) return true
  return containment(a.stems, b.stems) >= 0.9 && containment(b.stems, a.stems) >= 0.9
}
