/** Runs that are billed: how much of their input a vendor's cache answers for. */
import { definePlan, definePlugin, type RunCreate, type Usage } from '@svc/core'
import { createRuntime } from '../../plugins/src/index.ts'
import { type Format, type Move, startBillingServer } from '../test/fixtures/billing-server.ts'

export interface Shape {
  readonly name: string
  readonly create: RunCreate
  decide(results: number, requests: number): Move
}

/** Whose server is asked, and which of its models: each bills in its own way. */
export interface Vendor {
  readonly format: Format
  readonly model: string
}

export const VENDORS: readonly Vendor[] = [
  { format: 'anthropic', model: 'claude-opus-5-5' },
  { format: 'openai', model: 'gpt-4.1' },
  { format: 'openai', model: 'gpt-5.6-sol' },
  { format: 'openai-responses', model: 'gpt-5.1' },
  { format: 'openai-responses', model: 'gpt-5.6-sol' },
]

export interface Measured {
  calls: number
  inputTokens: number
  /** Of them, those read from the cache. */
  readTokens: number
  /** And those written to it. */
  writtenTokens: number
  /** What the run says of the same. */
  usage: Usage
}

const TURNS = 10
/** Some 500 tokens, as a page of a file has them. */
const page = (name: string): string =>
  Array.from({ length: 40 }, (_, line) => `${name}, line ${line}: the value of item ${line * 7} is ${line * 13}.`).join(
    '\n',
  )

const agent = (name: string, calls: number): Shape => ({
  name,
  create: { task: 'Look at all parts one after the other and say what the largest value is.', topology: 'SINGLE' },
  decide: (results) => (results < TURNS * calls ? { calls } : { text: 'The largest value is 507, in line 39.' }),
})

const chain = (name: string, turns: number, context?: string): Shape => ({
  name,
  create: {
    task: 'Work through the ten parts.',
    ...(context !== undefined && { context }),
    plan: definePlan({
      topology: 'SEQUENTIAL',
      steps: Array.from({ length: TURNS }, (_, n) => ({ objective: `Say what part ${n + 1} is about.` })),
    }),
  },
  decide: (results, requests) =>
    results < turns ? { calls: 1 } : { text: `${page(`finding ${requests}`).slice(0, 600)} That is what it is about.` },
})

export const SHAPES: readonly Shape[] = [
  agent('one agent, ten turns with a tool', 1),
  agent('one agent, ten turns with twelve calls each', 12),
  chain('chain of ten steps, one call each', 0),
  chain('chain of ten steps, two turns with a tool each', 2),
  chain('chain of ten steps, material of 6,000 tokens', 0, page('material').repeat(10)),
]

/** What is behind a server of its own, and runs once. */
export async function measure({ format, model }: Vendor, { create, decide }: Shape): Promise<Measured> {
  const server = await startBillingServer(format, model, decide)
  const look = definePlugin('look', ({ tools }) =>
    tools.add('look', {
      id: 'look',
      description: 'Looks at one part and says what is there, line by line.',
      risk: 'read',
      parameters: { type: 'object', properties: { part: { type: 'string' } } },
      run: async ({ part }: { part: string }) => page(`part ${part}`),
    }),
  )()
  const runtime = await createRuntime(
    {
      model: `vendor/${model}`,
      providers: { vendor: { type: format, apiKeyEnv: 'KEY' } },
      components: { reflect: false, consensus: false },
      tokenBudget: 4_000_000,
    },
    { env: { KEY: 'none' }, fetch: server.fetch, plugins: [look] },
  )
  try {
    const { id } = await runtime.runs.create(create)
    const run = await runtime.runs.wait(id)
    if (run.status !== 'completed') throw new Error(`${model}: the run is ${run.status}: ${JSON.stringify(run.error)}`)
    const sum = (of: (bill: (typeof server.bills)[number]) => number) =>
      server.bills.reduce((total, bill) => total + of(bill), 0)
    return {
      calls: server.bills.length,
      inputTokens: sum(({ read, written, plain }) => read + written + plain),
      readTokens: sum(({ read }) => read),
      writtenTokens: sum(({ written }) => written),
      usage: run.usage,
    }
  } finally {
    await runtime.close()
    await server.close()
  }
}
