/** Cuts the text of a task for a team that was asked for, by marks that mean the same in every language. */
import { toSentences } from '../sentences.ts'
import { atMost, bringsMaterial, type Decomposition, decompose, MAX_PARTS, PART_OF, type Part } from './decompose.ts'
import { asksAlone, type Joint, toJointClauses } from './joints.ts'
import { toObjects } from './objects.ts'
import { maskQuotes, unmask } from './quotes.ts'
import { firstWord, hasNewName, isNamed } from './things.ts'

/**
 * The parts of a task as `decompose` finds them; where its marks say that there are more, the pieces between these:
 * numbers or letters in a row ("1. … 2. …", "(a) … (b) …", "① … ②"), `;`, sentences and lines with names of their own,
 * clauses of one sentence with such names, and things with such names that share a verb. Who asks for a team says that there is work for several; which it is, no list of
 * one language's verbs can tell.
 */
export function decomposeForTeam(description: string): Decomposition {
  const found = decompose(description)
  const task = description.trim()
  if (found.by === 'list' || bringsMaterial(task)) return found
  const text = maskQuotes(task)
  const strong = [atNumbers(text), atSemicolons(text)].find((pieces) => pieces.length > found.parts.length)
  const weak = (): Joint[] => [asJoints(atSentences(text)), toJointClauses(text)].find(hasSeveral) ?? []
  const pieces = strong !== undefined ? asJoints(strong) : found.parts.length > 1 ? [] : weak()
  const parts = withObjects(pieces.length < 2 ? found.parts : toParts(pieces, task), task)
  return parts.length < 2 ? found : { ...found, parts: atMost(parts, MAX_PARTS), by: 'requests' }
}

/** The parts, with one for each of the things that one of them is for. */
function withObjects(parts: readonly Part[], task: string): Part[] {
  const objectives = parts.map(({ objective }) => {
    const objects = toObjects(objective.split(PART_OF)[0] ?? '')
    return objects.length < 2 ? [objective] : objects.map((object) => `${object}${PART_OF}${task}`)
  })
  const starts = objectives.map((_, index) => objectives.slice(0, index).flat().length)
  const spread = (positions: readonly number[]): number[] =>
    positions.flatMap((index) => (objectives[index] ?? []).map((_, offset) => (starts[index] ?? 0) + offset))
  return parts.flatMap((part, index) =>
    (objectives[index] ?? []).map((objective) => ({
      ...part,
      objective,
      dependsOn: spread(part.dependsOn),
      needs: spread(part.needs),
    })),
  )
}

const hasSeveral = (pieces: readonly unknown[]): boolean => pieces.length > 1
const asJoints = (texts: readonly string[]): Joint[] => texts.map((text) => ({ text, isNext: false }))

/** The pieces as parts, each with the whole task behind it: what its words point at may stand elsewhere. */
function toParts(pieces: readonly Joint[], task: string): Part[] {
  const names = pieces.map(({ text }) => isNamed(text))
  // Where the last one alone names nothing, it may be about all others, or about something that no mark shows.
  const lastMayGather = names.indexOf(false) === pieces.length - 1 && !asksAlone(pieces.at(-1)?.text ?? '')
  return pieces.map(({ text }, index) => {
    const next = pieces[index + 1]
    const mayBeUsed = next?.isNext === true && firstWord(next.text) !== firstWord(text)
    const isLast = index === pieces.length - 1
    return {
      objective: `${unmask(text)}${PART_OF}${task}`,
      dependsOn: isLast && lastMayGather ? pieces.slice(1).map((_, position) => position) : [],
      needs: [],
      isOwed: isLast || !(lastMayGather || mayBeUsed),
    }
  })
}

const BRACKETED = String.raw`(?<!\w)[(（]([0-9０-９]{1,2}|[a-z])[)）]`
const OPEN = String.raw`(?<![\p{L}\p{N}_.,-])(?:([0-9０-９]{1,2}|[a-z])[)）]|([0-9０-９]{1,2})[.．](?![0-9０-９]))`
const NUMBER = new RegExp(`${BRACKETED}|([①-⑳])|${OPEN}`, 'gu')
const LETTER_A = 'a'.charCodeAt(0)

/** What stands behind each of the marks 1, 2, 3 … or a, b, c …; nothing where there are no two in a row. */
function atNumbers(text: string): string[] {
  const marks: { start: number; end: number }[] = []
  for (const { 0: mark, 1: bracketed, 2: circled, 3: open, 4: stopped, index } of text.matchAll(NUMBER)) {
    if (positionOf(bracketed ?? circled ?? open ?? stopped ?? '') !== marks.length + 1) continue
    // "section 1. It" starts no list
    if (marks.length === 0 && (open ?? stopped) !== undefined && !followsEnd(text.slice(0, index))) return []
    marks.push({ start: index, end: index + mark.length })
  }
  return toPieces(marks.map(({ end }, index) => text.slice(end, marks[index + 1]?.start)))
}

/** Whether a text is empty, or comes to an end: a mark or the end of a line. */
function followsEnd(text: string): boolean {
  const words = text.trimEnd()
  return words === '' || /[:.;!?。：；！？]$/u.test(words) || text.includes('\n', words.length)
}

/** 1 for `1`, `１`, `①` and `a`. */
function positionOf(mark: string): number {
  const plain = mark.normalize('NFKC')
  return /^\d/.test(plain) ? Number(plain) : plain.charCodeAt(0) - LETTER_A + 1
}

const atSemicolons = (text: string): string[] => toPieces(text.split(/[;；]/))

/** Each with more than a word, without the marks between them; none where one of them is only a word. */
function toPieces(texts: readonly string[]): string[] {
  const pieces = texts
    .map((text) => text.trim().replace(/(?<![;,；，、])[;,；，、]{1,3}$/, ''))
    .filter((text) => /[\p{L}\p{N}]/u.test(text))
  return pieces.every((piece) => /\S\s+\S/.test(piece) || /[\u3000-\uffff]{3}/.test(piece)) ? pieces : []
}

/** Sentences and lines that ask, name a thing of their own, or begin like another one, each with those behind it that do not. */
function atSentences(text: string): string[] {
  const sentences = toSentences(text)
  const openings = sentences.map(firstWord)
  const pieces: string[] = []
  for (const [index, sentence] of sentences.entries()) {
    const isAlike = openings.some((word, other) => other !== index && word === openings[index])
    if (isAlike || /(?:[?？]|か。?)$/.test(sentence) || hasNewName(sentence, pieces)) pieces.push(sentence)
    else if (pieces.length > 0) pieces.push(`${pieces.pop()} ${sentence}`)
  }
  return pieces
}
