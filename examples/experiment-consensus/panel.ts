import { createHash } from 'node:crypto'
import { definePlugin, estimateTokens, type ModelProvider, toText } from '@svc/core'

const LETTERS = ['A', 'B', 'C', 'D']

/** Chance of a slip, drawn anew for each call. */
const SLIP = 0.4
/** Chance that a model of a family that believes something false says so. */
const BELIEF = 0.9

/** What is right, and what the family `alpha` falsely believes, by question. */
const QUESTIONS: Readonly<Record<string, { right: string; believed?: string }>> = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => {
    const right = LETTERS[(index * 3) % 4] ?? ''
    const believed = LETTERS[(index * 3 + 1) % 4] ?? ''
    return [`Q${index + 1}`, index % 4 === 3 ? { right, believed } : { right }]
  }),
)

/**
 * Stands in for two models, `alpha` and `beta`. A vote is right but for slips that are independent of each other; on each
 * fourth question all votes of `alpha` share one false belief. Equal requests with an equal `seed` have equal answers.
 */
const panel: ModelProvider = {
  id: 'panel',
  defaultModel: 'alpha',
  closed: true,
  models: async () =>
    ['alpha', 'beta'].map((id) => ({ id, context: 8000, tools: false, price: { input: 1, output: 4 } })),
  async *generate({ messages, model, seed = 0 }, { signal }) {
    signal.throwIfAborted()
    const prompt = messages.map(({ content }) => toText(content)).join('\n')
    const { right = '', believed } = QUESTIONS[/\bQ\d+\b/.exec(prompt)?.[0] ?? ''] ?? {}
    const text = vote(right, model === 'beta' ? undefined : believed, `${seed} ${prompt}`)
    yield { type: 'text', text }
    yield {
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: estimateTokens(prompt), outputTokens: estimateTokens(text), estimated: true },
    }
  },
}

function vote(right: string, believed: string | undefined, draw: string): string {
  const [chance = 0, which = 0] = createHash('sha256').update(draw).digest()
  if (believed !== undefined) return chance < BELIEF * 256 ? believed : right
  const others = LETTERS.filter((letter) => letter !== right)
  return chance < SLIP * 256 ? (others[which % others.length] ?? right) : right
}

/** The provider, and a seed for each of its calls, drawn from the run's: svc itself sends models none. */
export default definePlugin('panel', ({ hooks, providers }) => {
  providers.add('panel', panel)
  hooks.modelRequest.tap('panel', (changed, request, run) => ({
    ...(changed ?? request),
    seed: Math.floor(run.random() * 1e6),
  }))
})
