/** Which pieces of work a text asks for: imperatives, polite requests, wishes and questions, clause by clause. */
import {
  AUXILIARIES,
  DETERMINERS,
  NOUN_VERBS,
  OPENERS,
  QUESTION_WORDS,
  REFERENCES,
  STYLE_VERBS,
  TOTAL_WORDS,
  WORK_VERBS,
} from './lexicon.ts'
import type { Sentence, Token } from './tokens.ts'

/** One piece of work that is asked for. */
export interface AskedWork {
  /** The verb in its base form; `know` for wishes and `ask` for questions. */
  readonly verb: string
  /** Index of the first token behind the verb, within its sentence. */
  readonly from: number
  /** Index behind its last token: where the next piece of the sentence begins. */
  readonly to: number
  readonly sentence: number
  /** True when its object is what an earlier piece makes ("translate it"). */
  readonly dependent: boolean
  /** True for a question after one number ("how many", "what is the total"): one calculation, whatever it is about. */
  readonly counting: boolean
  /** True when it says how the answer should be ("keep it short"). */
  readonly style: boolean
}

/** Words of a request such as "could you", "I would like to": the verb stands behind them. */
const LONGEST_FRAME = 8

/** All the work that the sentences ask for, in order. */
export function toAskedWork(sentences: readonly Sentence[]): AskedWork[] {
  return sentences.flatMap((sentence, index) => ofSentence(sentence, index))
}

interface Opening {
  verb: string
  from: number
  counting: boolean
}

function ofSentence(sentence: Sentence, index: number): AskedWork[] {
  const { tokens } = sentence
  const openings: (Opening & { at: number })[] = []
  let at = 0
  while (at < tokens.length) {
    const isFirst = at === 0
    if (isFirst || isClauseStart(tokens, at)) {
      const opening = openingAt(sentence, at, isFirst, openings.length > 0)
      if (opening !== undefined) {
        openings.push({ ...opening, at })
        at = Math.max(at + 1, opening.from)
        continue
      }
    }
    at++
  }
  return openings.map(({ verb, from, counting }, position) => ({
    verb,
    from,
    to: openings[position + 1]?.at ?? tokens.length,
    sentence: index,
    dependent: isDependent(tokens, from, openings[position + 1]?.at ?? tokens.length),
    counting,
    style: isStyle(tokens, verb, from),
  }))
}

/** A clause begins behind a comma, a colon, "and", "then", "also", "or" and the like. */
function isClauseStart(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  if (before === undefined) return true
  if (before.kind === 'mark') return ',:—–'.includes(before.text)
  return (
    before.text === 'and' ||
    before.text === 'then' ||
    before.text === 'also' ||
    before.text === 'but' ||
    before.text === 'or'
  )
}

/** What opens a piece of work at a clause start, if anything does. */
function openingAt(sentence: Sentence, start: number, isFirst: boolean, follows: boolean): Opening | undefined {
  const { tokens } = sentence
  let at = skipOpeners(tokens, start)
  const framed = frameEnd(tokens, at)
  if (framed !== undefined) {
    at = skipOpeners(tokens, framed.end)
    const verb = tokens[at]
    if (verb?.kind !== 'word') return framed.wish ? { verb: 'know', from: at, counting: false } : undefined
    if (framed.wish || DETERMINERS.has(verb.text)) return { verb: 'know', from: at, counting: false }
    if (verb.text === 'be' || verb.text === 'have') return undefined
    return toOpening(tokens, at)
  }
  const token = tokens[at]
  if (token?.kind !== 'word') return undefined
  if (isFirst || sentence.question || follows) {
    const question = questionAt(sentence, at, isFirst, follows)
    if (question !== undefined) return question
  }
  if (!WORK_VERBS.has(token.text) && !STYLE_VERBS.has(token.text)) return undefined
  if (isFirst) return opensSentence(tokens, at) ? toOpening(tokens, at) : undefined
  if (token.capital || !(follows || at > start)) return undefined
  return hasObject(tokens, at) ? toOpening(tokens, at) : undefined
}

/** "use the X function to find Y" asks for the finding. */
function toOpening(tokens: readonly Token[], at: number): Opening {
  const verb = tokens[at]?.text ?? ''
  if (verb === 'use' || verb === 'using') {
    for (let index = at + 1; index < Math.min(tokens.length, at + LONGEST_FRAME); index++) {
      const next = tokens[index + 1]
      if (tokens[index]?.text === 'to' && next !== undefined && WORK_VERBS.has(next.text)) {
        return { verb: next.text, from: index + 2, counting: false }
      }
    }
  }
  return { verb: verb === 'tell' || verb === 'let' || verb === 'know' ? 'know' : verb, from: at + 1, counting: false }
}

/** "Book value fell": a word that is also a noun opens a request only where no verb form follows the next word. */
function opensSentence(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  const next = tokens[at + 1]
  if (token === undefined) return false
  if (next === undefined) return at > 0 || tokens.length === 1
  if (next.kind === 'word' && (AUXILIARIES.has(next.text) || next.text === 'of')) return false
  return !(next.kind === 'mark' && next.text === "'")
}

/** Whether a verb behind "and" has an object that makes it a verb rather than a noun of a series. */
function hasObject(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  const next = tokens[at + 1]
  if (token === undefined) return false
  if (!NOUN_VERBS.has(token.text))
    return next === undefined || !(next.kind === 'word' && (next.text === 'of' || AUXILIARIES.has(next.text)))
  if (next === undefined) return false
  if (next.kind === 'word') return DETERMINERS.has(next.text) || REFERENCES.has(next.text) || next.capital
  return next.kind !== 'mark'
}

function skipOpeners(tokens: readonly Token[], start: number): number {
  let at = start
  while (at < Math.min(tokens.length, start + LONGEST_FRAME)) {
    const token = tokens[at]
    if (token === undefined) break
    if (token.kind === 'word' && OPENERS.has(token.text)) at++
    else if (token.kind === 'mark' && at > start && ',:'.includes(token.text)) at++
    else if (token.kind === 'word' && token.text === 'and' && at > start) at++
    else if (token.text === 'after' && /^(?:that|this|which)$/.test(tokens[at + 1]?.text ?? '')) at += 2
    else if (token.text === 'once' && tokens[at + 1]?.text === 'done') at += 2
    else if (token.text === 'in' && tokens[at + 1]?.text === 'addition') at += 2
    else break
  }
  return at
}

/** Where a frame such as "could you please help me" ends. `wish`: what follows is a thing, not a verb. */
function frameEnd(tokens: readonly Token[], start: number): { end: number; wish: boolean } | undefined {
  const word = (at: number): string => (tokens[at]?.kind === 'word' ? (tokens[at]?.text ?? '') : '')
  const limit = Math.min(tokens.length, start + LONGEST_FRAME)
  let at = start
  if (/^(?:can|could|will|would)$/.test(word(at)) && /^(?:you|we|i)$/.test(word(at + 1))) at += 2
  else if (word(at) === 'i' || word(at) === "i'd" || word(at) === "i'm" || word(at) === 'we') {
    const subject = word(at)
    at++
    while (at < limit && /^(?:would|also|really|will|just|then|finally|am|still)$/.test(word(at))) at++
    const verb = word(at)
    if (verb === 'interested' || verb === 'curious' || verb === 'wondering')
      return { end: Math.min(limit, at + 2), wish: true }
    if (verb === 'looking' && word(at + 1) === 'for') return { end: at + 2, wish: true }
    if (!/^(?:like|want|need|wish|love|have)$/.test(verb) && subject !== "i'd") return undefined
    at++
    if (word(at) === 'you') at++
    if (word(at) !== 'to') return undefined
    at++
  } else if (word(at) === 'you' && /^(?:want|need|wish|decide|plan|are)$/.test(word(at + 1))) {
    at += 2
    if (word(at) === 'also') at++
    if (/^(?:asked|curious|interested)$/.test(word(at))) at++
    if (word(at) !== 'to') return undefined
    at++
  } else if (word(at) === "let's" || (word(at) === 'help' && /^(?:me|us)$/.test(word(at + 1)))) {
    at += word(at) === 'help' ? 2 : 1
    if (word(at) === 'to') at++
    return WORK_VERBS.has(word(at)) ? { end: at, wish: false } : undefined
  } else return undefined
  while (at < limit && (OPENERS.has(word(at)) || word(at) === 'go' || word(at) === 'ahead' || word(at) === 'and')) at++
  if (word(at) === 'help') {
    at++
    if (/^(?:me|us|them|him|her)$/.test(word(at))) at++
    while (at < limit && (word(at) === 'to' || word(at) === 'and')) at++
    return WORK_VERBS.has(word(at)) || word(at) === 'find' ? { end: at, wish: false } : undefined
  }
  return { end: at, wish: false }
}

function questionAt(sentence: Sentence, at: number, isFirst: boolean, follows: boolean): Opening | undefined {
  const { tokens } = sentence
  const first = tokens[at]
  const next = tokens[at + 1]
  if (first === undefined) return undefined
  const asks = QUESTION_WORDS.has(first.text) || (isFirst && AUXILIARIES.has(first.text))
  const contracted = /^(?:what|who|where|how|when)'s$/.test(first.text)
  if (!asks && !contracted) return undefined
  // Behind "and", "which" and "where" mostly open a relative clause: only "what is", "how would" open a question there.
  if (
    !isFirst &&
    !(
      follows &&
      (contracted || (next !== undefined && (AUXILIARIES.has(next.text) || /^(?:many|much)$/.test(next.text))))
    )
  ) {
    return undefined
  }
  if (isFirst && !sentence.question && !(next !== undefined && AUXILIARIES.has(next.text))) return undefined
  if (!isFirst && !/^(?:what|how|who|why)/.test(first.text)) return undefined
  return { verb: 'ask', from: at + 1, counting: isCounting(tokens, at) }
}

/** "how many", "how much", "what is the total": one number is wanted. */
function isCounting(tokens: readonly Token[], at: number): boolean {
  for (let index = at; index < Math.min(tokens.length, at + 7); index++) {
    const text = tokens[index]?.text ?? ''
    if (text === 'how' && /^(?:many|much|long|old|tall|far|often|fast|big|heavy)$/.test(tokens[index + 1]?.text ?? ''))
      return true
    if (TOTAL_WORDS.has(text)) return true
  }
  return false
}

/** Whether it is about what was made before: "translate it", "rank the results", "count the lines of each". */
function isDependent(tokens: readonly Token[], from: number, to: number): boolean {
  const first = tokens[from]
  if (first?.kind !== 'word') return false
  if (/^(?:it|them|this|that)$/.test(first.text)) return true
  const second = tokens[from + 1]
  if (
    /^(?:the|these|those|its|their|all)$/.test(first.text) &&
    second?.kind === 'word' &&
    REFERENCES.has(second.text)
  ) {
    return true
  }
  let last = to - 1
  while (last > from && isJoinerOrMark(tokens[last])) last--
  return tokens[last - 1]?.text === 'of' && /^(?:each|them|it|these|those)$/.test(tokens[last]?.text ?? '')
}

const isJoinerOrMark = (token: Token | undefined): boolean =>
  token?.kind === 'mark' || token?.text === 'and' || token?.text === 'then'

function isStyle(tokens: readonly Token[], verb: string, from: number): boolean {
  if (STYLE_VERBS.has(verb)) return true
  const next = tokens[from]?.text ?? ''
  if (verb === 'make' && next === 'sure') return true
  const isAbout = (pattern: RegExp): boolean => {
    for (let at = from; at < Math.min(tokens.length, from + 4); at++)
      if (pattern.test(tokens[at]?.text ?? '')) return true
    return false
  }
  if (verb === 'read') return isAbout(/^(?:below|following|above|paragraph|passage|text)$/)
  return (
    /^(?:explain|justify|show|describe|give|provide|list)$/.test(verb) &&
    (next === 'your' || isAbout(/^(?:reasoning|reasons|reassurance|examples?)$/))
  )
}
