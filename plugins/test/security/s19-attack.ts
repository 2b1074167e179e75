/** Models that never end, and servers that lie about what they took. */
import { definePlugin, type ExecutionResult, estimateTokens, type RunCreate, type RunEvent, toText } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { createRuntime } from '../../src/index.ts'
import { resultOf } from '../fixtures/runs.ts'

export const PRICE = { input: 2, output: 10 }

/** What a server may say that it took, and does not. */
export const LIES: Record<string, unknown> = {
  'one and one': { inputTokens: 1, outputTokens: 1, estimated: false },
  nothing: { inputTokens: 0, outputTokens: 0, estimated: false },
  'less than nothing': { inputTokens: -5_000, outputTokens: -5_000, estimated: false },
  'no number': { inputTokens: Number.NaN, outputTokens: Number.NaN, estimated: false },
  texts: { inputTokens: '10', outputTokens: '10', estimated: false },
  'half a token': { inputTokens: 0.5, outputTokens: 0.5, estimated: false },
  endless: { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1, estimated: false },
  'no usage': undefined,
  null: null,
  'a cache of no number': { inputTokens: 900, outputTokens: 300, cachedTokens: Number.NaN, estimated: false },
  'a cache of text': { inputTokens: 900, outputTokens: 300, cachedTokens: 'x', estimated: false },
  'a cache larger than the input': { inputTokens: 900, outputTokens: 300, cachedTokens: 1e9, estimated: false },
  'a cache below nothing': { inputTokens: 900, outputTokens: 300, cachedTokens: -1e9, estimated: false },
}

export interface Spent {
  usd: number
  tokens: number
  calls: number
  status: string
  reason: string | undefined
}

/** What a run of an obedient agent with a model that wants another tool call for ever really takes, by the test's own count. */
export async function spend(usage: unknown, budget: NonNullable<RunCreate['budget']>, calls = 1): Promise<Spent> {
  const spent = { usd: 0, tokens: 0, calls: 0 }
  const text = 'word '.repeat(300)
  const script: Script = ({ messages }, index) => {
    const input = estimateTokens(messages.map(({ content }) => toText(content)).join('\n'))
    const output = estimateTokens(text)
    spent.usd += (input * PRICE.input + output * PRICE.output) / 1e6
    spent.tokens += input + output
    // A test that fails is to end too.
    if (++spent.calls > 200) return 'enough'
    return [
      { type: 'text', text },
      ...Array.from({ length: calls }, (_, at) => ({
        type: 'toolCall' as const,
        call: { callId: `call-${index}-${at}`, tool: 'calculate', args: { expression: `${index} + ${at}` } },
      })),
      { type: 'finish', finishReason: 'toolCalls', usage: usage as never },
    ]
  }
  // The soft budget is out of the way: a hard one is what has to hold.
  const { result } = await runWith(script, { budget, tokenBudget: 10_000_000 })
  return { ...spent, status: result.status, reason: result.incomplete?.reason }
}

/** A whole run over a scripted model with a price. */
export async function runWith(
  script: Script,
  create: Partial<RunCreate>,
): Promise<{ result: ExecutionResult; events: RunEvent[] }> {
  const models = [{ id: 'scripted', tools: true, price: PRICE, context: 128_000 }]
  const provider = scriptedProvider('scripted', script, { models })
  const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime(
    { model: 'scripted/scripted', components: { inspect: false, memory: false } },
    { plugins: [model], env: {} },
  )
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'Add up all numbers.', ...create })
  const result = await resultOf(runtime, id)
  await runtime.close()
  return { result, events }
}

/** Dollars spent of five cents where the cache is no number, and tokens spent of 20000 where one and one are reported. */
export async function attack(): Promise<{ usd: number; tokens: number }> {
  const { usd } = await spend(LIES['a cache of no number'], { maxCostUsd: 0.05, maxTokens: 10_000_000 })
  const { tokens } = await spend(LIES['one and one'], { maxTokens: 20_000 })
  return { usd, tokens }
}
