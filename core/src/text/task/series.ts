/** Things named side by side under one instruction. */
import { plainWords } from './requests.ts'
import { isComparing, kindOf } from './verbs.ts'

/** `before` + thing + `after` is the instruction for one of the things. */
export interface Series {
  before: string
  things: string[]
  after: string
}

const LONGEST = 2_000
const SEPARATOR = /,\s+(?:and\s+)?|(?<!\s)\s+and\s+/i
const LAST_JOINT = /\sand\s+[^,]+$/i
/** Ends what the things are done with: "the licences of", "bugs in". */
const HEAD = /(?::|\b(?:of|for|in|about|on|at|into|files?|packages?|modules?))(?=\s)/gi
const TAIL = /\s(?:by|in|with|for|on|from|to|using|per|into|that|which|as|against)\s/i
/** A series behind these belongs together: one thing with all of them, or the relation between them. */
const TOGETHER =
  /\b(?:with|including|like|as|between|among|from|using|without|difference|relationship|sum|total|average)\b/i
/** One result of all things. */
const JOINING =
  /^(?:merge|combine|aggregate|reconcile|sum|synthesi[sz]e|compile|choose|pick|rank|sort|order|select|recommend|find)$/
const NAME = /^(?:the\s+)?(?:\p{Lu}|["'`“]|\S+[./]\S)/u
const PATH = /^\S*[\w)]\.[a-z]\w{0,4}$|^[\w@.-]+\/\S*$/i

/**
 * The series of an instruction ("Summarise a.md, b.md and c.md"): three names or more, or two things that are compared.
 * What is made or changed is one thing, unless it is one for each of several files.
 */
export function findSeries(sentence: string, verb: string): Series | undefined {
  const isCompared = isComparing(verb)
  const kind = kindOf(verb)
  if (sentence.length > LONGEST || kind === undefined) return undefined
  const body = sentence.replace(/[.?!]$/, '')
  const end = sentence.slice(body.length)
  const pieces = body.split(SEPARATOR)
  const [opening = ''] = pieces
  if (pieces.length < (isCompared ? 2 : 3) || !(LAST_JOINT.test(body) || /:\s/.test(opening)) || TOGETHER.test(opening))
    return undefined
  const mark = [...opening.matchAll(HEAD)].at(-1) ?? /^\S+/.exec(opening)
  const head = opening.slice(0, mark === null ? 0 : mark.index + mark[0].length)
  const thing = opening.slice(head.length)
  const last = pieces.at(-1) ?? ''
  const tailAt = last.search(TAIL)
  const things = [thing, ...pieces.slice(1, -1), tailAt === -1 ? last : last.slice(0, tailAt)].map((one) => one.trim())
  const arePaths = things.every((one) => PATH.test(one))
  const areNamed = isCompared || /(?:\bof|:)$/.test(head)
  const isThing = (one: string): boolean => {
    const count = plainWords(one).length
    return NAME.test(one) ? count <= 4 : areNamed && count > 0 && count <= (isCompared ? 3 : 1)
  }
  // "the orders in a.csv and the orders in b.csv" have no series of names behind one head.
  if (!things.every(isThing) || (!arePaths && PATH.test(things[0] ?? ''))) return undefined
  if (((kind === 'make' || kind === 'act') && !arePaths) || (JOINING.test(verb) && !(verb === 'find' && arePaths)))
    return undefined
  if (new Set(things.map((one) => one.toLowerCase())).size < things.length) return undefined
  return { before: `${head} `, things, after: `${tailAt === -1 ? '' : last.slice(tailAt)}${end}` }
}
