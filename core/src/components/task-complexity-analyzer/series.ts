/** How many things of one kind a clause names side by side: names, numbers, quotations, bracketed tuples, list words. */
import { RELATION_WORDS } from './lexicon.ts'
import type { Token } from './tokens.ts'

type EntityKind = 'name' | 'number' | 'quote' | 'group'

interface Entity {
  readonly kind: EntityKind
  readonly from: number
  readonly to: number
}

/** Small words that may stand between two members of a series beside the comma or the "and". */
const GLUE = new Set(
  'the a an of for in at to with by number numbers case from then also another finally on as well new old or and next'.split(
    ' ',
  ),
)
/** At most so many tokens lie between two members. */
const WIDEST_GAP = 6
/** How far before a series its kind of relation is looked for. */
const RELATION_REACH = 8

/** The largest number of things named side by side between two tokens; 1 when there is no series. */
export function countSeries(tokens: readonly Token[], from: number, to: number): number {
  const entities = toEntities(tokens, from, to)
  let largest = 1
  let members = 1
  let joined = false
  let start = 0
  entities.forEach((entity, index) => {
    const before = entities[index - 1]
    const link = before === undefined ? 'none' : linkBetween(tokens, before, entity)
    if (link === 'none') {
      members = 1
      joined = false
      start = entity.from
    } else {
      members++
      joined ||= link === 'and'
      if (joined && !isRelation(tokens, from, start)) largest = Math.max(largest, members)
    }
  })
  return largest
}

function toEntities(tokens: readonly Token[], from: number, to: number): Entity[] {
  const entities: Entity[] = []
  let at = from
  while (at < to) {
    const token = tokens[at]
    if (token === undefined) break
    if (token.kind === 'number' || token.kind === 'quote' || token.kind === 'group') {
      entities.push({ kind: token.kind, from: at, to: at + 1 })
      at++
    } else if (token.capital && token.text !== 'i') {
      const end = nameEnd(tokens, at, to)
      entities.push({ kind: 'name', from: at, to: end })
      at = end
    } else at++
  }
  return entities
}

/** A name goes on over capitals, and over "of" or "the" between capitals. */
function nameEnd(tokens: readonly Token[], from: number, to: number): number {
  let at = from + 1
  while (at < to) {
    const token = tokens[at]
    if (token?.capital || (token?.text === '.' && tokens[at + 1]?.kind !== undefined)) at++
    else if ((token?.text === 'of' || token?.text === 'the' || token?.text === '&') && tokens[at + 1]?.capital) at += 2
    else if (token?.text === 'of' && tokens[at + 1]?.text === 'the' && tokens[at + 2]?.capital) at += 3
    else break
  }
  return at
}

/** How two things hang together: by "and", by a comma alone, or not. */
function linkBetween(tokens: readonly Token[], before: Entity, after: Entity): 'and' | 'comma' | 'none' {
  if (before.kind !== after.kind || after.from - before.to > WIDEST_GAP) return 'none'
  let link: 'and' | 'comma' | 'none' = 'none'
  let strangers = 0
  for (let at = before.to; at < after.from; at++) {
    const token = tokens[at]
    if (token === undefined) break
    if (token.text === 'and' || token.text === 'or' || token.text === '&' || token.text === 'then') link = 'and'
    else if (token.text === ',') link = link === 'and' ? 'and' : 'comma'
    else if (token.kind === 'mark' && token.text !== '$' && token.text !== '-' && token.text !== '.') return 'none'
    else if (!GLUE.has(token.text)) {
      // "radius 4 and height 7": a noun of its own makes the second number a condition, not another member.
      if (before.kind === 'number' && link !== 'none') return 'none'
      strangers++
    }
  }
  // One stranger is the unit of a number ("10 years and 20 years") or the head of a name ("Berlin concerts and Paris").
  return strangers <= 1 ? link : 'none'
}

function isRelation(tokens: readonly Token[], from: number, start: number): boolean {
  for (let at = Math.max(0, from - 1, start - RELATION_REACH); at < start; at++) {
    if (RELATION_WORDS.has(tokens[at]?.text ?? '')) return true
  }
  return false
}

/** Behind these the object of the verb is over: a series there says how, not what. */
const NOT_OBJECT = new Set('on with by using from to as in for that which when if because while so'.split(' '))
/** Words of each member at most. */
const LONGEST_MEMBER = 8

/** The members of a series of plain words, "price, license and speed": at least one comma and a closing "and". */
export function countWordSeries(tokens: readonly Token[], from: number, to: number): number {
  let largest = 1
  let members = 1
  let length = 0
  for (let at = from; at < to; at++) {
    const text = tokens[at]?.text
    if (text !== undefined && members === 1 && NOT_OBJECT.has(text)) return largest
    if (text === ':') length = 0
    if (text === ',') {
      if (tokens[at + 1]?.text === 'and' || tokens[at + 1]?.text === 'or') continue
      members = length > 0 && length <= LONGEST_MEMBER ? members + 1 : 1
      length = 0
    } else if ((text === 'and' || text === 'or') && members > 1) {
      if (length > 0 && length <= LONGEST_MEMBER) largest = Math.max(largest, members + 1)
      members = 1
      length = 0
    } else length++
  }
  return largest
}

/** Where a clause takes its head up again for something else: "in Paris ... and in Rome", "another", "as well as". */
export function countRepeatedHeads(tokens: readonly Token[], from: number, to: number): number {
  const heads = new Map<string, number>()
  let repeats = 0
  let lastAnd = -1
  for (let at = from; at < to; at++) {
    const text = tokens[at]?.text ?? ''
    if (text === 'and') lastAnd = at
    if (text === 'another' || (text === 'well' && tokens[at - 1]?.text === 'as' && tokens[at + 1]?.text === 'as'))
      repeats++
    else if (text === 'also' && tokens[at - 1]?.text === 'and' && /^(?:the|an?)$/.test(tokens[at + 1]?.text ?? ''))
      repeats++
    if (!HEADS.has(text)) continue
    const kind = kindBehind(tokens, at)
    const earlier = heads.get(`${text} ${kind}`)
    const isJoined = isJoiner(tokens[at - 1]) || (GLUE.has(tokens[at - 1]?.text ?? '') && isJoiner(tokens[at - 2]))
    const isMatched = kind !== 'word' && earlier !== undefined && lastAnd > earlier && at - earlier <= WIDEST_REPEAT
    if ((isJoined && earlier !== undefined) || isMatched) repeats++
    heads.set(`${text} ${kind}`, at)
  }
  return repeats
}

const HEADS = new Set('in for from between at'.split(' '))
/** "for 12 months and wind energy for 8": two phrases of one form lie at most so far apart. */
const WIDEST_REPEAT = 16
const isJoiner = (token: Token | undefined): boolean =>
  token !== undefined && (token.text === ',' || token.text === 'and' || token.text === 'then' || token.text === 'also')

/** What a preposition introduces: a name, a number, a quotation, or plain words. */
function kindBehind(tokens: readonly Token[], at: number): string {
  for (let index = at + 1; index <= at + 2; index++) {
    const token = tokens[index]
    if (token?.capital) return 'name'
    if (token !== undefined && token.kind !== 'word' && token.kind !== 'mark') return token.kind
  }
  return 'word'
}
