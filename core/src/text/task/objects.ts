/** Cuts one instruction for several things, each with a name of its own, into an instruction for each of them. */
import { areRelated } from './joints.ts'
import { maskQuotes, unmask } from './quotes.ts'
import { endsInName, hasNewName, isNamed } from './things.ts'

const JOINT = /,? (?:and|as well as|und|sowie|et|ainsi que) |, /giu
const ARTICLE =
  /^(?:(?:the|an?|all|each|every|any|der|die|das|den|dem|des|eine?|einen|alle|jede[nrs]?|le|la|les|une?|tou(?:te)?s|chaque)\s|l['’])/iu
/** Behind these the last thing names what all of them are for. */
const FOR_ALL = /\s(?:to|into|onto|with|against|by|using|nach|mit|vers|avec|par)\s/iu
/** "the totals in a.csv and the totals in b.csv" may both hang on "the sum of"; on a number they seldom do. */
const NESTED = /^\S+\s(?!number|count|anzahl|zahl|nombre).{1,80}?\s(?:of )?(the|der|des|du)\s/iu
/** So many words may stand before the first thing: "Could you please tell me". */
const LONGEST_HEAD = 6

/**
 * An instruction for each thing that one is for: "Report the orders in a.csv", "Report the port in app.yml". The text alone
 * where its things belong together, or one of them does not end in a name that no other has.
 */
export function toObjects(text: string): string[] {
  if (text.includes('\n') || areRelated(text)) return [text]
  const masked = maskQuotes(text.trim())
  const body = masked.replace(/[.?!。？！]$/u, '')
  const end = masked.slice(body.length)
  return (inJapanese(body) ?? behindVerb(body) ?? [body]).map((piece) => unmask(`${piece}${end}`))
}

function behindVerb(body: string): string[] | undefined {
  const words = body.split(/(?<=\s)(?=\S)/, LONGEST_HEAD + 1)
  const first = words.findIndex((word, index) => index > 0 && (ARTICLE.test(word) || isNamed(word)))
  if (first === -1) return undefined
  const head = words.slice(0, first).join('')
  const things = body.slice(head.length).split(JOINT)
  const nested = NESTED.exec(things[0] ?? '')?.[1]?.toLowerCase()
  const areApart = things.every(
    (thing, index) =>
      (index === 0 || (ARTICLE.test(thing) && !thing.toLowerCase().startsWith(`${nested} `))) &&
      endsInName(thing) &&
      hasNewName(thing, things.slice(0, index)),
  )
  return things.length > 1 && areApart && !FOR_ALL.test(things.at(-1) ?? '')
    ? things.map((thing) => `${head}${thing}`)
    : undefined
}

/** "a.csv の注文数と app.yml のポートを報告して": what the verb is done to stands before it. */
function inJapanese(body: string): string[] | undefined {
  const verbAt = body.lastIndexOf('を')
  const things = body.slice(0, Math.max(0, verbAt)).split(/[と、]/)
  const areApart = things.every(
    (thing, index) => /[\w"」』]\s?の./.test(thing) && hasNewName(thing, things.slice(0, index)),
  )
  return things.length > 1 && areApart ? things.map((thing) => `${thing.trim()}${body.slice(verbAt)}`) : undefined
}
