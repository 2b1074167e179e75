import { createHash } from 'node:crypto'
import { definePlugin, estimateTokens, type ModelProvider, toText } from '@svc/core'

/** So many things of one question are read without a slip. */
const ATTENTION = 2

const NOTE = /^The (.+) is (\d+) m high\.$/gm

/**
 * Stands in for a model. It reads the notes that come with a task, and the more it is asked at once, the more it slips:
 * beyond the second thing of a call, three heights of four are those of the line below. A hash of the question decides which.
 */
const clerk: ModelProvider = {
  id: 'clerk',
  defaultModel: 'one',
  deterministic: true,
  models: async () => [{ id: 'one', context: 8000, tools: false, price: { input: 1, output: 4 } }],
  async *generate({ messages }, { signal }) {
    signal.throwIfAborted()
    const prompt = messages.map(({ content }) => toText(content)).join('\n')
    const asked = toText(messages.at(-1)?.content ?? [])
    const text = [...copyResults(asked), ...readNotes(asked)].join('\n')
    yield { type: 'text', text }
    yield {
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: estimateTokens(prompt), outputTokens: estimateTokens(text), estimated: true },
    }
  },
}

/** What colleagues have found, without a slip. */
const copyResults = (asked: string): (string | undefined)[] =>
  [...asked.matchAll(/<result of=[^>]*>\n([\s\S]*?)\n<\/result>/g)].map(([, result]) => result)

function readNotes(asked: string): string[] {
  const notes = [...asked.matchAll(NOTE)].map(([, name = '', height = '']) => ({ name, height }))
  const question = `${asked.split('</material>').at(-1)?.trim()}\n\n`
  const wanted = notes.filter(({ name }) => question.includes(`the ${name}`))
  return wanted.map((note, index) => {
    const slips = index >= ATTENTION && isUnlucky(`${note.name} of ${question}`)
    const read = slips ? (notes[(notes.indexOf(note) + 1) % notes.length] ?? note) : note
    return `the ${note.name}: ${read.height} m`
  })
}

const isUnlucky = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) % 4 > 0

export default definePlugin('clerk', ({ providers }) => providers.add('clerk', clerk))
