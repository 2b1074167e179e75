import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ThreeLayerMemory, type ThreeLayerMemoryOptions } from '../src/components/three-layer-memory/index.ts'

const test = suite('memory search with vectors and reranker')
const clock = () => Date.parse('2026-01-01T00:00:00.000Z')

/** Vectors by meaning: animals, money, neither. */
const embed = async (texts: readonly string[]): Promise<number[][]> =>
  texts.map((text) => [
    /\b(?:dog|terrier|pets?)\b/i.test(text) ? 1 : 0,
    /\b(?:money|rent|salary)\b/i.test(text) ? 1 : 0,
    0.01,
  ])

async function filled(options: ThreeLayerMemoryOptions = {}): Promise<ThreeLayerMemory> {
  const memory = new ThreeLayerMemory({ clock, ...options })
  await memory.write({ content: 'Rex is a terrier from the shelter.', threadId: 'home' })
  await memory.write({ content: 'The rent went up in May.', threadId: 'home' })
  await memory.write({ content: 'Nobody may keep pets in the office.', threadId: 'office' })
  return memory
}

const contents = async (memory: ThreeLayerMemory, query: string, threadId?: string): Promise<string[]> =>
  (await memory.query({ query, ...(threadId === undefined ? {} : { scope: { threadId } }) })).data.map(
    ({ content }) => content,
  )

test('what is near in meaning is found beside what shares words', async () => {
  const words = await contents(await filled(), 'Which pets are there?')
  assert.not(words.some((content) => content.includes('terrier')))
  const both = await contents(await filled({ embed }), 'Which pets are there?')
  assert.match(both[0] ?? '', 'pets in the office')
  assert.match(both[1] ?? '', 'terrier')
})

test('vectors keep to the scope, and to what was forgotten', async () => {
  const asked: string[] = []
  const memory = await filled({
    embed: async (texts) => {
      asked.push(...texts)
      return embed(texts)
    },
  })
  const office = await contents(memory, 'Which dog?', 'office')
  assert.not(office.some((content) => content.includes('terrier')))
  assert.not(
    asked.some((text) => text.includes('terrier')),
    'a text of another thread was handed to the embedder',
  )
  const [hit] = (await memory.query({ query: 'Which dog?', scope: { threadId: 'home' } })).data
  assert.match(hit?.content ?? '', 'terrier')
  assert.ok((hit?.parts.dense ?? 0) > 0.9)
  await memory.forget(hit?.id ?? '')
  assert.not((await contents(memory, 'Which dog?', 'home')).some((content) => content.includes('terrier')))
})

test('a reranker orders the hits, and places that do not exist are passed over', async () => {
  const rerank = async (_: string, texts: readonly string[]) => [99, texts.length - 1]
  const plain = await contents(await filled(), 'rent pets')
  const turned = await (await filled({ rerank })).query({ query: 'rent pets' })
  assert.is(turned.data[0]?.content, plain.at(-1))
  assert.is(turned.data.length, plain.length)
  const scores = turned.data.map(({ score }) => score)
  assert.equal(
    scores,
    scores.toSorted((a, b) => b - a),
  )
})

test('where vectors and reranker fail, words decide', async () => {
  const broken = async () => Promise.reject(new Error('down'))
  const words = await contents(await filled(), 'rent pets')
  assert.equal(await contents(await filled({ embed: broken, rerank: broken }), 'rent pets'), words)
})

test('facts that a model reads out of episodes are kept where their sources bear them out', async () => {
  const seen: string[][] = []
  const memory = await filled({
    extract: async (episodes) => {
      seen.push(episodes.map(({ content }) => content))
      const id = episodes[0]?.id ?? ''
      return [
        { content: 'Rex is a terrier', sources: [id] },
        { content: 'Rex is a terrier of Vienna', sources: [id] },
        { content: 'Rex is a terrier aged 7', sources: [id] },
        { content: 'The whole family enjoys long walks together', sources: [id] },
        { content: 'Rex is a terrier', sources: ['mem_nobody'] },
      ]
    },
  })
  await memory.consolidate()
  const { data } = await memory.list({ layer: 'long-term' })
  assert.equal(
    data.map(({ content }) => content),
    ['Rex is a terrier'],
  )
  assert.is(data[0]?.threadId, 'home')
  assert.ok(data[0]?.tags.some((tag) => tag.startsWith('from:')))
  assert.is(seen.length, 2, 'episodes of two threads were read together')
})

test.run()
