import { toSearchText } from './words.ts'

/** Of a longer answer the beginning is searched. */
const MOST_OF_ANSWER = 20_000
/** Characters of a piece of an answer that a list shows, and how many of them stand before what was found. */
const MOST_SHOWN = 200
const MOST_BEFORE = 40

/** The answer in what a run returned, as text; empty where it has none. @param result by the run's mode */
export function answerOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return ''
  const { summary, output } = result as { summary?: unknown; output?: unknown }
  if (output !== undefined && output !== null) return typeof output === 'string' ? output : JSON.stringify(output)
  return typeof summary === 'string' ? summary : ''
}

/**
 * What a search looks for in an answer, as it stands behind the words of the task: see `toSearchText`.
 *
 * @param result what the run returned, by its mode
 */
export function toAnswerWords(result: unknown): string {
  const answer = answerOf(result).slice(0, MOST_OF_ANSWER)
  return answer === '' ? '' : `\n${toSearchText(answer)}`
}

/** All that a search looks for in a run: its task and its answer. */
export const toRunWords = ({ task, result }: { task: string; result?: unknown }): string =>
  toSearchText(task) + toAnswerWords(result)

/**
 * The piece of an answer around what was searched for, where the task does not say it.
 *
 * @param q what was searched for, any case
 */
export function findInAnswer(
  { task, result }: { task: string; result?: unknown },
  q: string,
): { text: string; from: number; to: number } | undefined {
  const words = toSearchText(q)
  if (words === '' || toSearchText(task).includes(words)) return undefined
  const answer = answerOf(result).slice(0, MOST_OF_ANSWER)
  const lower = toSearchText(answer)
  const at = lower.indexOf(words)
  if (at === -1) return undefined
  // Few letters are longer or shorter in lower case: then the place is found letter by letter.
  const toPlace = lower.length === answer.length ? (place: number) => place : placesIn(answer)
  const [begin, end] = [toPlace(at), toPlace(at + words.length)]
  const before = lineOf(answer.slice(Math.max(0, begin - MOST_BEFORE), begin))
  const found = lineOf(answer.slice(begin, end)).slice(0, MOST_SHOWN - MOST_BEFORE)
  const isCut = begin > MOST_BEFORE
  const from = before.length + (isCut ? 1 : 0)
  const after = lineOf(answer.slice(end, end + MOST_SHOWN)).trimEnd()
  const room = MOST_SHOWN - from - found.length
  const rest = after.length > room ? `${after.slice(0, room - 1)}…` : after
  return {
    text: `${isCut ? '…' : ''}${before}${found}${rest}`.replace(/\p{Cs}/gu, '\ufffd'),
    from,
    to: from + found.length,
  }
}

/** Without trimming: what stands between two pieces stays. */
const lineOf = (text: string): string => text.replace(/\s+/g, ' ')

/** From places in a text in lower case to those in the text. */
function placesIn(text: string): (place: number) => number {
  const places: number[] = []
  let at = 0
  for (const letter of text) {
    for (let unit = 0; unit < letter.toLowerCase().length; unit++) places.push(at)
    at += letter.length
  }
  return (place) => places[place] ?? text.length
}
