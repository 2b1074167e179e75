/** The instructions inside one sentence. */
import { imperativeOf, isImperative, opensQuestion, plainWords, withoutFrame } from './sentences.ts'

const OBJECT_STARTS: ReadonlySet<string> = new Set(
  (
    'the a an all each every any some its their his her it them this that these those which what how why whether where who when if my our your to for in into ' +
    'from on one two three four five both at me us whom out up new another'
  ).split(' '),
)
/** Verbs that are seldom nouns: behind "and" they need no article to be read as instructions. */
const ALWAYS_VERBS: ReadonlySet<string> = new Set(
  (
    'analyse analyze calculate choose compare compute conclude convert create decide delete describe determine develop evaluate examine explain explore extract ' +
    'find fix generate get give identify implement install investigate make prepare present propose provide recommend retrieve rewrite select solve suggest ' +
    'summarise summarize tell translate verify write send book buy'
  ).split(' '),
)
const CUT =
  /;\s+|(?:,|(?<!\s))\s+(?:and )?then\s+|,\s+(?:and\s+)?also,?\s+|(?<!\s)\s+and also,?\s+|,\s+(?:and|but)\s+|,\s+|(?<!\s)\s+and\s+/gi
/** "users who write, edit and publish", "a tool to read and send mail": verbs that ask nobody for anything. */
const RELATIVE =
  /\b(?:who|which|that|can|should|must|will|would|could)\s+(\S+)(?:\s+\S+){0,3}$|\bto\s+(?:\w+ly\s+)?(\S+)(?:\s+\S+){0,3}$/i
/** Small words that are no verbs, although a noun phrase may stand behind them. */
const NO_VERB: ReadonlySet<string> = new Set(
  (
    'in on of for with to from by at into about between during under over when if while that which who is are was were not only all both what how why where as than ' +
    'or and but nor so yet even the a an its their my our your his her this these those each every like unlike including without within through after before ' +
    'until since because although though per plus more less most least nearly about around he she it they we you i has have had does did do can will would could'
  ).split(' '),
)
const VERB_OBJECTS: ReadonlySet<string> = new Set(
  'the a an it them its their every each whom whether which what how why'.split(' '),
)

/**
 * The instructions inside one sentence: cut at `;`, at `then`, and at `and` or a comma before a verb with an object
 * ("list the exports and explain why they exist", but not "list the test and build scripts").
 */
export function toClauses(sentence: string): string[] {
  if (!/[,;]|\b(?:and|then|also|as well as)\b/i.test(sentence)) return [sentence]
  const body = withoutFrame(sentence)
  const skipped = sentence.length - body.length
  const cuts: { start: number; end: number }[] = []
  let last = 0
  for (const match of sentence.matchAll(CUT)) {
    if (match.index < skipped) continue
    const rest = sentence.slice(match.index + match[0].length, match.index + match[0].length + 80)
    const isMarked = /[;]|then|also/i.test(match[0])
    // "a server with TLS, port 8080": behind a comma alone a figure follows a noun.
    if (/^,\s+$/.test(match[0]) && /^[a-z]+\s+\d/.test(rest)) continue
    if (opensInstruction(rest, isMarked)) {
      const clause = sentence.slice(last, match.index)
      // "If she reads 5 pages a day, how many does she read a week?" is one question.
      if (!opensRequest(clause) || (!isMarked && isSubordinate(clause, match[0]))) continue
      last = match.index + match[0].length
      cuts.push({ start: match.index, end: last })
    }
  }
  const clauses: string[] = []
  let from = 0
  for (const { start, end } of cuts) {
    const clause = sentence.slice(from, start)
    if (plainWords(clause).length < 2) continue
    // The word `then` stays with what it introduces: it says that the clause waits.
    clauses.push(clause.trim())
    const then = sentence.slice(start, end).search(/then/i)
    from = then === -1 ? end : start + then
  }
  clauses.push(sentence.slice(from).trim())
  return clauses
}

function opensInstruction(rest: string, isMarked: boolean): boolean {
  // Behind a comma "which" and "where" mostly open a relative clause.
  if (/^(?:what|how|why)/i.test(rest) && opensQuestion(rest)) return true
  const [verb = '', object = ''] = withoutFrame(rest).split(/\s+/)
  if (/^[A-Z]/.test(verb)) return false
  if (!isImperative(verb)) return opensUnknownVerb(rest)
  if (isMarked || rest !== withoutFrame(rest)) return true
  const word = object.toLowerCase().replace(/(?<!\P{L})\P{L}+$/u, '')
  return (
    OBJECT_STARTS.has(word) ||
    /^[\p{Lu}\p{N}`"'./]|^\w[\w-]*[./]\w/u.test(object) ||
    (ALWAYS_VERBS.has(verb) && word !== '' && word !== 'of' && word !== 'and')
  )
}

const opensRequest = (clause: string): boolean =>
  imperativeOf(clause) !== undefined || opensQuestion(clause) || opensUnknownVerb(clause) || POLAR.test(clause)
const POLAR = /^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|may|has|have|had)\b/i
const CONDITION = /\b(?:assuming|if|when|where|since|because|given|while|unless)\b/i

function isSubordinate(before: string, joint: string): boolean {
  if (!/^,?\s*(?:(?:and|,)\s*)?$/i.test(joint)) return false
  if (CONDITION.test(before)) return true
  const relative = RELATIVE.exec(before)
  if (relative === null) return false
  const [, verb, infinitive] = relative
  // "a function that parses dates and test it": the second verb has another form, so it is an instruction.
  return infinitive === undefined ? !/[^s]s$/.test(verb ?? '') : isImperative(infinitive)
}

/** Whether words open an instruction with a verb that no list knows: a plain word before "the", "it", "which". */
export function opensUnknownVerb(text: string): boolean {
  const [verb = '', object = ''] = text.split(/\s+/, 2)
  return (
    /^[a-z]{3,}$/.test(verb) &&
    !NO_VERB.has(verb) &&
    !/(?:ly|ing|ed)$/.test(verb) &&
    VERB_OBJECTS.has(object.toLowerCase())
  )
}
