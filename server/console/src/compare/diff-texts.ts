import { diffSequences } from './diff-sequences.ts'

/** A stretch of a text, and whether the other text has it too. */
export interface Stretch {
  text: string
  isChanged: boolean
}

export interface TextDiff {
  left: Stretch[]
  right: Stretch[]
  isSame: boolean
}

/** Texts with more words are compared line by line. */
const MOST_WORDS = 6_000
/** Of longer texts the beginnings are compared. */
const MOST_CHARACTERS = 200_000

/** Two texts with what differs marked, by words, or of long texts by lines. Either side put together is its whole text. */
export function diffTexts(left: string, right: string): TextDiff {
  const [leftWords, rightWords] = [toWords(left), toWords(right)]
  const byWords = leftWords.length + rightWords.length <= MOST_WORDS
  const [leftItems, rightItems] = byWords ? [leftWords, rightWords] : [toLines(left), toLines(right)]
  const diff: TextDiff = { left: [], right: [], isSame: left === right }
  for (const pair of diffSequences(leftItems, rightItems)) {
    const isChanged = pair.left === undefined || pair.right === undefined
    if (pair.left !== undefined) add(diff.left, pair.left, isChanged)
    if (pair.right !== undefined) add(diff.right, pair.right, isChanged)
  }
  // What lies beyond was not compared; it is alike where both are.
  const [leftRest, rightRest] = [left.slice(MOST_CHARACTERS), right.slice(MOST_CHARACTERS)]
  add(diff.left, leftRest, leftRest !== rightRest)
  add(diff.right, rightRest, leftRest !== rightRest)
  return diff
}

/** The beginning of one side of a difference, of so many characters. */
export function cutStretches(stretches: readonly Stretch[], most: number): Stretch[] {
  const kept: Stretch[] = []
  let left = most
  for (const { text, isChanged } of stretches) {
    if (left <= 0) break
    kept.push({ text: text.slice(0, left), isChanged })
    left -= text.length
  }
  return kept
}

function add(stretches: Stretch[], text: string, isChanged: boolean): void {
  if (text === '') return
  const last = stretches.at(-1)
  if (last?.isChanged === isChanged) last.text += text
  else stretches.push({ text, isChanged })
}

/** Words and what is between them. */
const toWords = (text: string): string[] =>
  text.slice(0, MOST_CHARACTERS).match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

/** Lines with their ends. */
const toLines = (text: string): string[] => text.slice(0, MOST_CHARACTERS).match(/[^\n]*\n|[^\n]+/g) ?? []
