import { diffArrays } from 'diff'

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

/** Differences beyond which two texts are no longer compared: all of both differs. */
const MOST_EDITS = 1_000
/** Texts with more words are compared line by line. */
const MOST_WORDS = 6_000
/** Of longer texts the beginnings are compared. */
const MOST_CHARACTERS = 200_000

/** Two texts with what differs marked, by words, or of long texts by lines. Either side put together is its whole text. */
export function diffTexts(left: string, right: string): TextDiff {
  const words = [toWords(left), toWords(right)] as const
  const byWords = words[0].length + words[1].length <= MOST_WORDS
  const [before, after] = byWords ? words : [toLines(left), toLines(right)]
  const changes = diffArrays(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ]
  // What lies beyond was not compared; it is alike where both are.
  const [leftRest, rightRest] = [left.slice(MOST_CHARACTERS), right.slice(MOST_CHARACTERS)]
  const isRestChanged = leftRest !== rightRest
  const sideOf = (other: 'added' | 'removed', rest: string): Stretch[] => [
    ...changes
      .filter(({ [other]: isOther }) => !isOther)
      .map(({ value, added, removed }) => ({ text: value.join(''), isChanged: added || removed })),
    ...(rest === '' ? [] : [{ text: rest, isChanged: isRestChanged }]),
  ]
  return { left: sideOf('added', leftRest), right: sideOf('removed', rightRest), isSame: left === right }
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

/** Words and what is between them. */
const toWords = (text: string): string[] =>
  text.slice(0, MOST_CHARACTERS).match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

/** Lines with their ends. */
const toLines = (text: string): string[] => text.slice(0, MOST_CHARACTERS).match(/[^\n]*\n|[^\n]+/g) ?? []
