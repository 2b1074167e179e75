import { type Answers, type CaseReadings, type Piece, toQuotes } from './reader.ts'

interface Said {
  readonly verdict: 'held' | 'refuted' | 'open'
  readonly quotes?: readonly { readonly evidence: number; readonly words: string }[]
}
type Lie = (statement: string, pieces: readonly Piece[], readings: CaseReadings) => Said

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu))

/** Lines of the evidence with the number of words that they share with a statement. */
function linesOf(statement: string, pieces: readonly Piece[]): { evidence: number; words: string; shared: number }[] {
  const said = words(statement)
  return pieces.flatMap(({ number, text }) =>
    text.split('\n').map((line) => ({
      evidence: number,
      words: line.slice(0, 500),
      shared: [...words(line)].filter((word) => said.has(word)).length,
    })),
  )
}
const related = (statement: string, pieces: readonly Piece[], most: number): Said['quotes'] =>
  linesOf(statement, pieces)
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, most)
const unrelated = (statement: string, pieces: readonly Piece[]): Said['quotes'] =>
  linesOf(statement, pieces)
    .filter(({ shared, words: line }) => shared === 0 && line.trim() !== '')
    .slice(0, 5)
const heads = (pieces: readonly Piece[]): Said['quotes'] =>
  pieces.slice(1, 40).map(({ number, text }) => ({ evidence: number, words: text.split('\n')[0] ?? '' }))
const careful = (statement: string, readings: CaseReadings): Said['quotes'] => {
  const reading = readings[statement]
  return reading && toQuotes(reading)
}

/** Readers that lie about every statement, each in its way. */
export const LIARS: Readonly<Record<string, Lie>> = {
  'holds all with invented words': (statement) => ({
    verdict: 'held',
    quotes: [{ evidence: 1, words: `it is so: ${statement}` }],
  }),
  'refutes all with invented words': () => ({
    verdict: 'refuted',
    quotes: [{ evidence: 1, words: 'this is not so at all' }],
  }),
  'refutes all with unrelated lines': (statement, pieces) => ({
    verdict: 'refuted',
    quotes: unrelated(statement, pieces) ?? [],
  }),
  'refutes all with the nearest line': (statement, pieces) => ({
    verdict: 'refuted',
    quotes: related(statement, pieces, 1) ?? [],
  }),
  'refutes all with every related line': (statement, pieces) => ({
    verdict: 'refuted',
    quotes: related(statement, pieces, 50) ?? [],
  }),
  'refutes all with the words that prove it': (statement, pieces, readings) => ({
    verdict: 'refuted',
    quotes: careful(statement, readings) ?? related(statement, pieces, 1) ?? [],
  }),
  'refutes all with the calls': (_, pieces) => ({ verdict: 'refuted', quotes: heads(pieces) ?? [] }),
  'holds all with the nearest line': (statement, pieces) => ({
    verdict: 'held',
    quotes: related(statement, pieces, 1) ?? [],
  }),
  'holds all with every related line': (statement, pieces) => ({
    verdict: 'held',
    quotes: related(statement, pieces, 50) ?? [],
  }),
  'holds all with the words that refute it': (statement, pieces, readings) => ({
    verdict: 'held',
    quotes: careful(statement, readings) ?? related(statement, pieces, 1) ?? [],
  }),
  'holds all with the calls of the agent': (_, pieces) => ({ verdict: 'held', quotes: heads(pieces) ?? [] }),
}

/**
 * What a liar answers.
 *
 * @param truthOf where given, the liar knows the statements of known truth, answers these rightly, and lies about the others
 */
export const toAnswers =
  (
    lie: Lie,
    readings: CaseReadings,
    truthOf?: (statement: string, pieces: readonly Piece[]) => Said | undefined,
  ): Answers =>
  (statements, pieces) =>
    statements.map((text) => truthOf?.(text, pieces) ?? lie(text, pieces, readings))
