/** A start of a part of one's own: where it goes, what it says, and a test of it that `node --test` runs. */
export interface Template {
  /** Folder under `.svc` that svc takes such parts from. */
  folder: string
  /** The name where none is given. */
  name: string
  part(name: string): string
  test(name: string, path: string): string
}

const testHead = (checker: string, path: string): string => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${checker} } from '@svc/core/testing'
import part from '${path}'

test('it keeps the contract', async () => {
`

export const TEMPLATES: Readonly<Record<string, Template>> = {
  plugin: {
    folder: 'plugins',
    name: 'careful',
    part: (name) => `import { AMEND, definePlugin } from '@svc/core'

/**
 * Sends hard tasks to a team, also when the analyzer recommended a single agent. Other hooks: allocate, plan, execute, reflect,
 * consensus, inspect. A tap without \`stage\` answers before the default; undefined leaves the answer as it is.
 *
 * @param options.from difficulty, 0 to 1, from which on a task is hard
 */
export default definePlugin('${name}', ({ hooks }, { from = 0.3 } = {}) => {
  hooks.analyze.tap({ name: '${name}', stage: AMEND }, (complexity) =>
    complexity && complexity.score >= from ? { ...complexity, recommendedTopology: 'CENTRALIZED' } : undefined,
  )
})
`,
    test: (
      _,
      path,
    ) => `${testHead('checkPlugin', path)}  assert.deepEqual(await checkPlugin(() => part({ from: 0 })), [])
})
`,
  },
  tool: {
    folder: 'tools',
    name: 'word_count',
    part: () => `/** A tool: agents read the description and the parameters, and \`run\` gets arguments that fit these. */
export default {
  description: 'Counts the words of a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  // Or write, network, execute: these ask first. destructive: denied unless a rule allows it.
  risk: 'read',
  run: ({ text }) => ({ words: text.split(/\\s+/).filter((word) => word !== '').length }),
}
`,
    test: (
      name,
      path,
    ) => `${testHead('checkTool', path)}  assert.deepEqual(await checkTool(() => ({ id: '${name}', ...part }), { args: { text: 'one two' } }), [])
})

test('it counts words', () => {
  assert.deepEqual(part.run({ text: ' one  two ' }), { words: 2 })
})
`,
  },
  provider: {
    folder: 'providers',
    name: 'echo',
    part: (name) => `import { estimateTokens, toText } from '@svc/core'

/** A model provider that answers with what it was asked. It throws nothing but ProviderError, and never retries: svc does. */
export default {
  id: '${name}',
  defaultModel: 'one',
  models: async () => [{ id: 'one', context: 8000, tools: false }],
  async *generate(request, { signal }) {
    signal.throwIfAborted()
    const text = toText(request.messages.at(-1)?.content ?? [])
    yield { type: 'text', text }
    const tokens = estimateTokens(text)
    yield { type: 'finish', finishReason: 'stop', usage: { inputTokens: tokens, outputTokens: tokens, estimated: true } }
  },
}
`,
    test: (_, path) => `${testHead('checkProvider', path)}  assert.deepEqual(await checkProvider(() => part), [])
})
`,
  },
}
