import { toWords } from '../../../text/words.ts'
import type { RankingConstants } from './ranking.ts'
import type { WordScores } from './score-words.ts'
import type { TextEntry, View } from './view.ts'

interface Ranked {
  readonly text: TextEntry
  readonly score: number
  /** How many of its kind are better. */
  readonly place: number
}

/**
 * The best texts of a view, of each kind, that words or neighbours' words fit, best first.
 *
 * @param limit texts of each kind
 */
export function rankTexts(
  query: string,
  { texts, sessions, kinds, kindNames, authors }: View,
  scores: WordScores,
  limit: number,
  { session, author, question, reply }: RankingConstants,
): (Ranked & { readonly parts: Record<'lexical' | 'session' | 'reply' | 'author', number> })[] {
  const most = maximum(scores.texts)
  const mostOfSession = maximum(scores.sessions) || 1
  const ceiling = (1 + session + reply) * Math.max(1, author)
  const named = authorNamed(query, authors)
  const lexicalOf = (place: number) => (scores.texts[place] ?? 0) / most / ceiling
  const sessionOf = (place: number) =>
    (session * (scores.sessions[sessions[place] ?? 0] ?? 0)) / mostOfSession / ceiling
  const replyOf = (place: number, text: TextEntry) => {
    const before = texts[place - 1]
    const isReply = before?.asks === true && before.author !== text.author && before.session === text.session
    return isReply ? reply * lexicalOf(place - 1) : 0
  }
  const factorOf = (text: TextEntry) =>
    (named !== undefined && text.author === named ? author : 1) * (text.endsAsking ? question : 1)
  const byKind = kindNames.map((): { text: TextEntry; place: number; score: number }[] => [])
  for (let place = 0; place < texts.length; place++) {
    const text = texts[place]
    const best = byKind[kinds[place] ?? 0]
    if (text === undefined || best === undefined || scores.texts[place] === 0) continue
    const score = (lexicalOf(place) + sessionOf(place) + replyOf(place, text)) * factorOf(text)
    const last = best[limit - 1]
    if (last !== undefined && score < last.score) continue
    const found = { text, place, score }
    if (last !== undefined && compare(last, found) < 0) continue
    best.splice(best.findLastIndex((other) => compare(other, found) < 0) + 1, 0, found)
    if (best.length > limit) best.pop()
  }
  const found = byKind.flatMap((best) => best.map((one, rank) => ({ ...one, rank })))
  return found.sort(compare).map(({ text, place, score, rank }) => {
    const parts = { lexical: lexicalOf(place), session: sessionOf(place), reply: replyOf(place, text) }
    const author = score - parts.lexical - parts.session - parts.reply
    return { text, score, place: rank, parts: { ...parts, author } }
  })
}

/** The author whose whole name is in a query, when that is exactly one. */
function authorNamed(query: string, authors: ReadonlySet<string>): string | undefined {
  if (authors.size === 0) return undefined
  const words = new Set(toWords(query))
  const named = [...authors].filter((author) => {
    const name = toWords(author)
    return name.length > 0 && name.every((word) => words.has(word))
  })
  return named.length === 1 ? named[0] : undefined
}

const compare = (a: Omit<Ranked, 'place'>, b: Omit<Ranked, 'place'>): number =>
  b.score - a.score || b.text.importance - a.text.importance || b.text.at - a.text.at || a.text.order - b.text.order

function maximum(scores: Float64Array): number {
  let most = 0
  for (const score of scores) most = Math.max(most, score)
  return most
}
