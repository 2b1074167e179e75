/** ThreeLayerMemory on questions about very long conversations, and its speed among fifty thousand records. */

import type { Embed } from '@svc/core'
import { type RankingConstants, ThreeLayerMemory } from '@svc/core'
import { ContextIndex, RANKING, type RankedText } from '@svc/core/components'
import { isRelevant } from '../../plugins/src/defaults/memory/memory-recall.ts'
import { bootstrap, mean, quantile, seeded } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import type { Row } from './lib/row.ts'

interface Conversation {
  id: string
  sessions: { n: number; iso: string }[]
  turns: { id: string; session: number; speaker: string; text: string; caption?: string }[]
  qa: { category: string; question: string; evidence: string[] }[]
}

/** What was found for one question. */
interface Found {
  category: string
  at10: number
  at20: number
}

const COMPONENT = 'memory'
const RECORDS = 50_000
const QUERIES = 300
const ANSWERABLE = new Set(['single-hop', 'multi-hop', 'temporal', 'open-domain'])
/** Far after the last conversation: recency then tells next to nothing. */
const NOW = Date.parse('2030-01-01T00:00:00Z')
/** BM25 with neighbours, sessions, authors and dates, as it stands beside the data: the rule to beat. */
const KNOWN: Partial<RankingConstants> = { author: 1.2, question: 1, reply: 0 }
/** Constants that are chosen anew without the conversation that they are tried on. */
const CHOICES: Partial<RankingConstants>[] = [
  {},
  ...[1.2, 1.35, 1.7].map((author) => ({ author })),
  ...[0.15, 0.45].map((session) => ({ session })),
  ...[0, 0.15, 0.45].map((reply) => ({ reply })),
  ...[0.75, 1].map((question) => ({ question })),
  { neighbours: [0.4, 0.2] },
  { neighbours: [0.6, 0.3] },
  { k1: 0.6 },
  { k1: 1.2 },
]

export default async function measure(data: DataFolder): Promise<Row[]> {
  const { conversations } = data.load<{ conversations: Conversation[] }>('locomo-dev.json')
  return [
    ...measureRecall(conversations),
    ...measureNoise(conversations),
    ...(await measureVectors(conversations)),
    ...(await measureSpeed(conversations)),
  ]
}

function measureRecall(conversations: readonly Conversation[]): Row[] {
  const found = conversations.map((conversation) => ask(conversation, {}))
  const known = conversations.map((conversation) => ask(conversation, KNOWN))
  const chosen = leaveOneOut(conversations)
  const row = (measure: string, at: 'at10' | 'at20', of: (one: Found) => boolean, aim: number | null): Row => {
    const recall = (units: readonly Found[][]) =>
      mean(
        units
          .flat()
          .filter(of)
          .map((one) => one[at]),
      )
    return {
      component: COMPONENT,
      measure: `LoCoMo ${measure}`,
      n: found.flat().filter(of).length,
      baseline: recall(known),
      value: recall(found),
      ...bootstrap(found, recall),
      aim,
      note: `constants chosen without the conversation: ${recall(chosen).toFixed(3)}`,
    }
  }
  const answerable = ({ category }: Found) => ANSWERABLE.has(category)
  return [
    row('recall@10, four categories', 'at10', answerable, 0.82),
    row('recall@20, four categories', 'at20', answerable, 0.87),
    row('recall@10, multi-hop', 'at10', ({ category }) => category === 'multi-hop', 0.55),
    ...['single-hop', 'temporal', 'open-domain', 'adversarial'].map((wanted) =>
      row(`recall@10, ${wanted}`, 'at10', ({ category }) => category === wanted, null),
    ),
  ]
}

/**
 * How many questions about other conversations find anything, which is noise: as they were asked, and with the names of the two
 * who speak in this one, which leaves the words of the topic alone to tell.
 */
function measureNoise(conversations: readonly Conversation[]): Row[] {
  const speakersOf = ({ turns }: Conversation): string[] => [...new Set(turns.map(({ speaker }) => speaker))]
  const answerable = (one: Conversation) => one.qa.filter(({ category }) => ANSWERABLE.has(category))
  const found = conversations.map((conversation) => {
    const index = indexOf(conversation, {})
    const search = (question: string): RankedText[] => index.search(question, { limit: 10, now: NOW })
    const known = speakersOf(conversation)
    const own = answerable(conversation).map(({ question }) => search(question))
    const foreign = conversations
      .filter((other) => other !== conversation)
      .flatMap((other) => {
        const asked = answerable(other).filter(({ question }) => !known.some((name) => question.includes(name)))
        return asked.map(({ question }) => {
          const named = speakersOf(other).reduce((text, name, at) => text.replaceAll(name, known[at] ?? name), question)
          return { hits: search(question), renamed: search(named) }
        })
      })
    return { own, foreign }
  })
  const foreign = found.map((one) => one.foreign)
  const isFound = (hits: readonly RankedText[]): number => (hits.length > 0 ? 1 : 0)
  const isRecalled = (hits: readonly RankedText[]): number => (hits.some(isRelevant) ? 1 : 0)
  const row = (
    measure: string,
    of: (one: { hits: RankedText[]; renamed: RankedText[] }) => number,
    own: (hits: RankedText[]) => number,
    aim: number | null,
  ): Row => {
    const share = (units: readonly (typeof foreign)[number][]) => mean(units.flat().map(of))
    return {
      component: COMPONENT,
      measure: `LoCoMo noise recalled${measure}`,
      n: foreign.flat().length,
      baseline: null,
      value: share(foreign),
      ...bootstrap(foreign, share),
      aim,
      better: 'less',
      note: `of the questions about the conversation itself the same finds ${mean(found.flatMap((one) => one.own.map(own))).toFixed(3)}`,
    }
  }
  return [
    row(', asked for', ({ hits }) => isFound(hits), isFound, 0.3),
    row(', asked for, speakers renamed', ({ renamed }) => isFound(renamed), isFound, null),
    row(', unasked', ({ hits }) => isRecalled(hits), isRecalled, 0.01),
    row(', unasked, speakers renamed', ({ renamed }) => isRecalled(renamed), isRecalled, null),
  ]
}

/** For each conversation what the constants find that serve the others best. */
function leaveOneOut(conversations: readonly Conversation[]): Found[][] {
  const tried = CHOICES.map((choice) => conversations.map((conversation) => ask(conversation, choice)))
  const recall = (found: readonly Found[]) => found.filter(({ category }) => ANSWERABLE.has(category))
  return conversations.map((_, index) => {
    const worths = tried.map((found) =>
      mean(
        found
          .filter((_, other) => other !== index)
          .flatMap(recall)
          .map(({ at10, at20 }) => at10 + at20),
      ),
    )
    return tried[worths.indexOf(Math.max(...worths))]?.[index] ?? []
  })
}

function indexOf(conversation: Conversation, constants: Partial<RankingConstants>): ContextIndex {
  const index = new ContextIndex({ ...RANKING, ...constants })
  for (const text of textsOf(conversation)) index.add(text)
  return index
}

function ask(conversation: Conversation, constants: Partial<RankingConstants>): Found[] {
  const index = indexOf(conversation, constants)
  return conversation.qa.flatMap(({ category, question, evidence }) => {
    if (evidence.length === 0) return []
    const ids = index.search(question, { limit: 20, now: NOW }).map(({ id }) => id)
    const recall = (most: number) => evidence.filter((id) => ids.slice(0, most).includes(id)).length / evidence.length
    return [{ category, at10: recall(10), at20: recall(20) }]
  })
}

function textsOf({ sessions, turns }: Conversation) {
  const dates = new Map(sessions.map(({ n, iso }) => [n, Date.parse(`${iso}Z`)]))
  return turns.map(({ id, session, speaker, text, caption }) => ({
    id,
    text: caption === undefined || caption === null ? text : `${text} [image: ${caption}]`,
    author: speaker,
    session: String(session),
    at: dates.get(session) ?? 0,
  }))
}

/** What vectors do to what words find: some that know nothing, and some of letters alone. Neither may cost a point. */
async function measureVectors(conversations: readonly Conversation[]): Promise<Row[]> {
  const words = await recallWith(conversations)
  const rows: Row[] = []
  for (const [name, embed] of [
    ['random vectors', embedAtRandom],
    ['vectors of letters', embedLetters],
  ] as const) {
    const found = await recallWith(conversations, embed)
    const recall = (units: readonly number[][]) => mean(units.flat())
    rows.push({
      component: COMPONENT,
      measure: `LoCoMo recall@10, four categories, ${name} beside the words`,
      n: found.flat().length,
      baseline: recall(words),
      value: recall(found),
      ...bootstrap(found, recall),
      aim: recall(words) - 0.01,
    })
  }
  return rows
}

async function recallWith(conversations: readonly Conversation[], embed?: Embed): Promise<number[][]> {
  const found: number[][] = []
  for (const conversation of conversations) {
    const memory = new ThreeLayerMemory({ clock: () => NOW, ...(embed === undefined ? {} : { embed }) })
    const turns = new Map<string, string>()
    for (const { id, text, author, session, at } of textsOf(conversation)) {
      const validFrom = new Date(at).toISOString()
      const record = await memory.write({ content: text, agentId: author, threadId: session, validFrom })
      turns.set(record.id, id)
    }
    const recalls: number[] = []
    for (const { category, question, evidence } of conversation.qa) {
      if (evidence.length === 0 || !ANSWERABLE.has(category)) continue
      const ids = (await memory.query({ query: question })).data.map(({ id }) => turns.get(id))
      recalls.push(evidence.filter((id) => ids.includes(id)).length / evidence.length)
    }
    found.push(recalls)
  }
  return found
}

const DIMENSIONS = 64

const embedAtRandom: Embed = async (texts) =>
  texts.map((text) => {
    const random = seeded(hash(text))
    return Array.from({ length: DIMENSIONS }, () => random() - 0.5)
  })

/** How often each three letters occur, by a hash. */
const embedLetters: Embed = async (texts) =>
  texts.map((text) => {
    const vector = new Array<number>(DIMENSIONS).fill(0)
    for (let at = 0; at + 3 <= text.length; at++) {
      const place = hash(text.slice(at, at + 3).toLowerCase()) % DIMENSIONS
      vector[place] = (vector[place] ?? 0) + 1
    }
    return vector
  })

const hash = (text: string): number =>
  [...text].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7)

/** Processor time, which other programs on the machine do not lengthen; on an idle machine it is what a caller waits. */
async function measureSpeed(conversations: readonly Conversation[]): Promise<Row[]> {
  const memory = new ThreeLayerMemory({ clock: () => NOW })
  let written = 0
  for (let round = 0; written < RECORDS; round++) {
    for (const { id, turns } of conversations) {
      for (const { text, speaker, session } of turns) {
        if (written++ >= RECORDS) break
        await memory.write({ content: text, agentId: speaker, threadId: `${round} ${id} ${session}` })
      }
    }
  }
  const questions = conversations.flatMap(({ qa }) => qa.map(({ question }) => question)).slice(0, QUERIES)
  const time = async (work: (question: string) => Promise<unknown>): Promise<number> => {
    const times: number[] = []
    for (const question of questions) {
      const before = process.cpuUsage()
      await work(question)
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1000)
    }
    return quantile(
      times.sort((a, b) => a - b),
      0.95,
    )
  }
  await time((query) => memory.query({ query }))
  const row = (measure: string, value: number): Row => ({
    component: COMPONENT,
    measure: `${measure} among 50,000 records, p95 of processor time in ms`,
    n: questions.length,
    baseline: null,
    value,
    low: null,
    high: null,
    aim: 20,
    better: 'less',
  })
  return [
    row('query', await time((query) => memory.query({ query }))),
    row(
      'write and query',
      await time(async (query) => {
        await memory.write({ content: query, threadId: 'written' })
        await memory.query({ query })
      }),
    ),
  ]
}
