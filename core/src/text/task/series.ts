/** Things named side by side under one instruction. */
import { opensUnknownVerb } from './clauses.ts'
import { isImperative, plainWords } from './sentences.ts'
import { isComparing, kindOf } from './verbs.ts'

/** Things named one after the other under one instruction: `before` + thing + `after` is the instruction for one of them. */
export interface Series {
  before: string
  things: string[]
  after: string
}

const SEPARATOR = /(?:(?<!\s)\s+)?,\s*(?:(?:and|or)\s+)?|(?<!\s)\s+(?:and|or|versus|vs\.?)\s+/i
const TAIL_WORDS =
  /\s(?:by|in|with|for|on|regarding|from|to|using|according|under|per|into|that|which|based|at|of|as|against)\s/i
const HEAD_WORDS =
  /^(.*\b(?:of|for|in|about|on|at|into|from|packages?|files?|modules?|companies|cities|countries|following|covering|regarding|:)):?\s+(\S[\s\S]*)$/i
/** A series behind these belongs together: one thing with all of them, or the relation between them. */
const TOGETHER =
  /\b(?:with|including|include|includes|like|such as|between|among|from|using|without|contains?|containing|has|have|having|given|relationship|difference|distance|similarit\w+|comparison|versus|ratio|combination|mix|winner|sum|product|average|total|because|so that|if|when|while|where|following sentences?)\b/i
/** A question for one of several things. */
const CHOICE = /\bor\b|\b(?:winner|most|least|best|better|\w{3,}est)\b/i
const DETERMINER = /^(?:the|a|an|your|my|our|all)\s/i
/** Things that are no names of their own but sides of one answer. */
const VAGUE = /^(?:so on|more|others?|etc\.?|not|both|either|one|it|them|then|now|say .*)$/i
const LONGEST = 2_000

/** The series of a sentence ("Compare the licences of uvu, tapable and stemmer"): three things or more, or two that are compared. */
export function findSeries(sentence: string, verb: string | undefined): Series | undefined {
  if (sentence.length > LONGEST) return undefined
  const end = /[.?!]$/.exec(sentence)?.[0] ?? ''
  const enumerated = findEnumerated(sentence, verb)
  if (enumerated !== undefined) return enumerated
  const bare = sentence.slice(0, sentence.length - end.length)
  const share = SHARE.exec(bare)?.[0] ?? ''
  const body = bare.slice(0, bare.length - share.length)
  const pieces = body.split(SEPARATOR)
  const isCompared = verb !== undefined && isComparing(verb)
  const isPair = pieces.length === 2
  if (pieces.length < 2 || !LAST_JOINT.test(body) || (isPair && body.includes(','))) return undefined
  const head = splitHead(pieces[0] ?? '', pieces[1] ?? '')
  if ((share === '' && TOGETHER.test(pieces[0] ?? '')) || (verb === undefined && CHOICE.test(body))) return undefined
  const last = pieces[pieces.length - 1] ?? ''
  if (
    pieces.some(
      (piece) => /^(?:its|their|his|her|who|which|that|whose|whom|where)\s/i.test(piece) || piece.includes('='),
    )
  )
    return undefined
  const areWhole = pieces.slice(1).every((piece) => DETERMINER.test(piece))
  const tailAt = areWhole ? -1 : last.search(TAIL_WORDS)
  const lastThing = tailAt === -1 ? last : last.slice(0, tailAt)
  const things = [head.thing, ...pieces.slice(1, -1), lastThing].map((thing) => thing.trim())
  if (things.some((thing) => !isThing(thing, areWhole))) return undefined
  const isApart =
    share !== '' ||
    isSeparable(head.before, verb) ||
    (EDITING.test(verb ?? '') && things.every((thing) => PATH.test(thing))) ||
    (kindOf(verb ?? '') === 'make' && areWhole && things.every(isWriting))
  if (!isApart || JOINING.test(verb ?? '')) return undefined
  const areNames = things.every((thing) => NAME.test(thing))
  // "salt and pepper" is one thing: two things, and those of a question, have to be names.
  if (!areNames && ((isPair && !isCompared) || verb === undefined)) return undefined
  if (isPair && !isCompared && !/\b(?:of|in|for|about|at)\s+$/i.test(head.before)) return undefined
  if (new Set(things.map((thing) => thing.toLowerCase())).size < things.length) return undefined
  return { before: head.before, things, after: `${tailAt === -1 ? '' : last.slice(tailAt)}${share}${end}` }
}

/** "one section per country", "in two paragraphs each": the words say that each thing gets its own. */
const SHARE = /(?:,|(?<!\s))\s+(?:one \S+ (?:per|for each) \S+|(?:in|with) (?:\S+ ){1,2}each|separately)$/i
/** One result of all things. */
const JOINING = /^(?:merge|combine|consolidate|aggregate|reconcile|sum|synthesi[sz]e|compile)$/
/** Verbs that take long on each file. */
const EDITING =
  /^(?:document|draft|port|refactor|redesign|rewrite|revise|improve|moderni[sz]e|migrate|optimi[sz]e|write)$/
const PATH = /^(?:[\w@-]+\/)*[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}$/i
const WRITING =
  /\b(?:analysis|article|backend|biography|brochure|contract|documentation|e-?mail|essay|faq|flyer|frontend|guide|handbook|letter|newsletter|plan|policy|post|proposal|release|report|review|speech|summary|tutorial)$/i

/** A work of its own: "a financial plan", "a post for LinkedIn". */
const isWriting = (thing: string): boolean => WRITING.test(thing.replace(TAIL, ''))
const TAIL = new RegExp(String.raw`${TAIL_WORDS.source}[\s\S]*$`, 'i')

/** "these three files: a.md, b.md, c.md", "four databases (Qdrant, Milvus, Weaviate and Chroma)". */
const ENUMERATED =
  /^(?=[^(:]*\b(?:these|each|following|two|three|four|five|six|seven|eight|nine|ten)\b)([^(:]*)(?:(: )([^:()]+)|( ?\()([^()]+)(\)[^()]*))$/i

function findEnumerated(sentence: string, verb: string | undefined): Series | undefined {
  const [, head = '', colon, afterColon, open, within, rest = ''] =
    ENUMERATED.exec(sentence.replace(/[.?!]$/, '')) ?? []
  const named = afterColon ?? within
  if (verb === undefined || named === undefined || /^(?:rank|sort|order|choose|pick)$/.test(verb) || JOINING.test(verb))
    return undefined
  const isEach = /\beach\b/i.test(head)
  if (!isEach && TOGETHER.test(head)) return undefined
  const things = named.split(SEPARATOR).map((thing) => thing.trim())
  if (things.length < 3 || things.some((thing) => !isThing(thing, false))) return undefined
  const kind = kindOf(verb)
  const areMade = kind === 'make' || kind === 'act'
  const isApart = areMade ? makesMany(head) : isComparing(verb) || things.every((thing) => NAME.test(thing))
  return isEach || isApart ? { before: `${head}${colon ?? open}`, things, after: rest } : undefined
}

/** "product descriptions for": several things are made, not one of them all. */
const makesMany = (text: string): boolean =>
  /[^s]s$/.test(plainWords(text.replace(/\b(?:about|on|for|of|covering|to|into)\b[\s\S]*$/i, '')).at(-1) ?? '')

/** The last two members are joined by a word; "Boston, USA and Rome, Italy" are pairs, not four things. */
const LAST_JOINT = /\s(?:and|or|versus|vs\.?)\s+[^,]+$/i
const NAME = /^(?:the\s+)?(?:\p{Lu}|["'`“]|\S+[./]\S)/u
/** A thing is a short name, without a verb of its own and without a phrase that only its neighbour has. */
function isThing(thing: string, isWhole: boolean): boolean {
  const words = plainWords(thing)
  const [first = '', second = ''] = words
  if (words.length === 0 || words.length > (isWhole ? 8 : 5) || VAGUE.test(thing)) return false
  if (opensUnknownVerb(thing)) return false
  if (isImperative(first) && second !== '' && !/^\p{Lu}/u.test(thing)) return false
  return isWhole || !/\s(?:of|for|in|to|that|which|is|are|from|with|by|on|as|at)\s/i.test(thing)
}

const WRITE_UP = /\b(?:report|paper|guide|overview|study|handbook|documentation)\b/i

/** One poem about three things is one poem; three poems, or the chapters of a report, can be made apart. */
function isSeparable(before: string, verb: string | undefined): boolean {
  const kind = kindOf(verb ?? '')
  if (kind !== 'make' && kind !== 'act') return true
  const made =
    plainWords(before)[1] === 'the'
      ? undefined
      : plainWords(before.replace(/\b(?:about|on|for|of|covering)\b[\s\S]*$/i, '')).at(-1)
  if (/\bcovering\s*$/i.test(before)) return WRITE_UP.test(before)
  return made !== undefined && /[^s]s$/.test(made) && /\b(?:about|on|for|of|into|in)\s*$/i.test(before)
}

function splitHead(piece: string, second: string): { before: string; thing: string } {
  const space = /^(?:please\s+|then\s+|and\s+)*\S+\s+(?:(?:up|out|into|for)\s+(?=the|an?\s))?/i.exec(piece)?.[0] ?? ''
  // "the population of Laos, the capital of Peru": each member is an object of the verb itself.
  if (DETERMINER.test(second)) return { before: space, thing: piece.slice(space.length) }
  const match = HEAD_WORDS.exec(piece)
  if (match !== null) return { before: piece.slice(0, piece.length - (match[2] ?? '').length), thing: match[2] ?? '' }
  return { before: space, thing: piece.slice(space.length) }
}

const EACH = /^for (?:each|every|all|both)(?: of)?(?: the)?(?: following)?(?: [\p{L}-]{1,40}(?=[ :]))?:? /iu

/** The series of a sentence that names its things first: "For each of the packages core, sdk and cli, list the exports." */
export function findEach(sentence: string): Series | undefined {
  if (sentence.length > LONGEST) return undefined
  const start = EACH.exec(sentence)?.[0].length
  if (start === undefined) return undefined
  const comma = [...sentence.matchAll(/,\s+/g)].find((match) =>
    isImperative(/^[\p{L}]+/u.exec(sentence.slice(match.index + match[0].length))?.[0] ?? ''),
  )
  if (comma === undefined || comma.index <= start) return undefined
  const things = sentence
    .slice(start, comma.index)
    .split(SEPARATOR)
    .map((thing) => thing.trim())
  if (things.length < 2 || things.some((thing) => thing === '' || plainWords(thing).length > 4)) return undefined
  return { before: 'For ', things, after: sentence.slice(comma.index) }
}
