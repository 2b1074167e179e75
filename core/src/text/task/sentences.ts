/** The sentences of a text and the requests in them. */
import { AUXILIARIES, BOUND, kindOf, LEADS, QUESTION_WORDS } from './verbs.ts'

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|prof|inc|ltd|corp|llc|st|u\.s|[a-z])\.$/i
const MANY = /[.!?]\s|\n[ \t]*\n/
const BLANK_LINE = /\n[ \t]*\n/
const END = /(?<=[.!?])\s+/

/** The sentences of a text: ended by `.`, `!`, `?` before white space, or by a blank line. File names and numbers stay whole. */
export function toSentences(text: string): string[] {
  if (!MANY.test(text)) return text.trim() === '' ? [] : [text.trim()]
  const sentences: string[] = []
  for (const paragraph of text.split(BLANK_LINE)) {
    let current = ''
    for (const piece of paragraph.split(END)) {
      current = current === '' ? piece : `${current} ${piece}`
      if (ABBREVIATION.test(current.slice(-12))) continue
      sentences.push(current.trim())
      current = ''
    }
    if (current.trim() !== '') sentences.push(current.trim())
  }
  return sentences.filter((sentence) => sentence !== '')
}

/** The words of a text as they are read here: lower case, punctuation at the edges taken off. */
export function plainWords(text: string): string[] {
  const found: string[] = []
  for (const raw of text.toLowerCase().split(/\s+/)) {
    const word = isPlain(raw)
      ? raw
      : raw.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '')
    if (word !== '') found.push(word)
  }
  return found
}

/** Whether a word is lower-case ASCII letters alone, which most are. */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if (code < 97 || code > 122) return false
  }
  return true
}

/** How a request is wrapped politely; the verb stands behind. */
const FRAME =
  /^(?:(?:please|kindly|hi|hello|hey|ok(?:ay)?|also|and|then|next|finally|lastly|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|first(?:ly)?|now|after (?:that|this)|once (?:that|this)(?: is done)?)[,:]?\s+)*(?:(?:can|could|would|will) you(?: please| kindly| also)?(?: help me(?: to)?)?|(?:i|we)(?: also| would|'d)?(?: would)? (?:want|need|like|wish)(?: you)?(?: also)? to|(?:i|we)'d (?:also )?like (?:you )?to|help me(?: to)?|let's|you (?:need|have) to|your (?:task|job) is to)\s+(?=\S)/i

/** A request without its polite words: "Could you please find X?" is "find X?". */
export function withoutFrame(sentence: string): string {
  const first = FIRST_WORD.exec(sentence)?.[0].toLowerCase()
  // What opens with a verb has no polite words before it; "help me find" and "let's" are none of our verbs.
  if (first !== undefined && kindOf(first) !== undefined) return sentence
  const frame = FRAME.exec(sentence)?.[0]
  return frame === undefined ? sentence : sentence.slice(frame.length)
}

const FIRST_WORD = /^[A-Za-z]+(?![\w'’-])/

/** The verb that a sentence starts with when it is an instruction, polite words and words such as "then" left aside. */
export function imperativeOf(sentence: string): string | undefined {
  const first = FIRST_WORD.exec(sentence)?.[0].toLowerCase()
  if (first !== undefined && kindOf(first) !== undefined) return first
  const word = plainWords(withoutFrame(sentence.slice(0, 200))).find((candidate) => !LEADS.has(candidate))
  return word !== undefined && kindOf(word) !== undefined ? word : undefined
}

/** Whether a word can start an instruction. */
export const isImperative = (word: string): boolean => kindOf(word.toLowerCase()) !== undefined

/** Whether a sentence asks something. */
export const isQuestion = (sentence: string): boolean => sentence.trimEnd().endsWith('?')

/** Whether a sentence opens like a question, with or without its mark. */
export function opensQuestion(text: string): boolean {
  const [first = '', second = ''] = plainWords(text.slice(0, 100)).filter((word) => !LEADS.has(word))
  if (/^(?:what|who|where|how|when)'s$/.test(first)) return true
  return QUESTION_WORDS.has(first) && (AUXILIARIES.has(second) || /^(?:many|much|long|far|old|tall|big)$/.test(second))
}

/** Whether a sentence limits other work: its form, its length, its bounds. */
export const isBound = (sentence: string): boolean => BOUND.test(sentence.trim())

/** "Can you help me with a few things?", "Could you do these for me?": the work is said before or after. */
const ANNOUNCEMENT =
  /\b(?:help|assist)\b.{0,160}\bwith (?:\S+ ){0,4}(?:tasks?|things?|questions?|requests?|calculations?|problems?|conversions?|homework|these|this|that|it)\b[^,]{0,160}$|^(?:can|could|would) you (?:please )?(?:do|handle|take care of) (?:these|this|that|it|them)\b/i

/** Whether a sentence only announces requests or closes them. */
export const isAnnouncement = (sentence: string): boolean => sentence.length < 160 && ANNOUNCEMENT.test(sentence)

/** Whether a sentence asks for work, not only limits it ("Use at most 100 words."). */
export const isRequirement = (sentence: string): boolean =>
  isQuestion(sentence) || (imperativeOf(sentence) !== undefined && !isBound(sentence))
