/** The public types: what must compile, and what must not. Checked by the compiler, never run. */
import {
  createClient,
  definePlugin,
  type ErrorCode,
  type IncompleteReason,
  ServiceClient,
  type TopologyName,
  type WarningCode,
} from '../src/index.ts'
import { ServiceClient as RemoteClient } from '../src/remote/index.ts'

/** `true` only for `any`. */
type IsAny<T> = 0 extends 1 & T ? true : false
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const yes = <_ extends true>(): void => {}
const no = <_ extends false>(): void => {}

const client = new ServiceClient({ provider: 'anthropic', tokenBudget: 64_000, defaultTopology: 'AUTO' })
export const ready: Promise<ServiceClient> = createClient()

// @ts-expect-error: there is no such option
new ServiceClient({ tokenBugdet: 1 })
// @ts-expect-error: tokens are a number
new ServiceClient({ tokenBudget: '64000' })
// @ts-expect-error: config is a path, a config or false
new ServiceClient({ config: true })
// @ts-expect-error: there is no such slot
new ServiceClient({ components: { analyser: false } })
// @ts-expect-error: a config has no such key
new ServiceClient({ config: { tokenBugdet: 1 } })
// @ts-expect-error: a decision is approve, deny or edit
new ServiceClient({ onApproval: () => ({ decision: 'perhaps' }) })

export const remote = [
  new ServiceClient({ serverUrl: 'http://127.0.0.1:4000', serverKey: 'k', timeoutMs: 1, maxRetries: 0 }),
  new RemoteClient({ serverUrl: 'http://127.0.0.1:4000', onApproval: () => ({ decision: 'deny' }) }),
]
// @ts-expect-error: without Node there is nothing but a server
new RemoteClient({})
// @ts-expect-error: a server has its own plugins
new RemoteClient({ serverUrl: 'http://127.0.0.1:4000', plugins: [] })

export async function use(): Promise<void> {
  const thread = await client.threads.create({ id: 'mine' })
  const said = await thread.run('x', {
    outputSchema: { type: 'object', properties: { n: { type: 'number' } } } as const,
  })
  no<IsAny<typeof said.output>>()
  yes<Equal<typeof said.summary, string>>()
  yes<Equal<Awaited<ReturnType<typeof thread.messages>>[number]['role'], 'user' | 'assistant'>>()
  // @ts-expect-error: there is no such option
  await thread.run('x', { tokenBugdet: 1 })
  const result = await client.run('x', { riskLevel: 'high', topology: 'PARALLEL', budget: { maxTokens: 1 } })
  no<IsAny<typeof result>>()
  no<IsAny<typeof result.summary>>()
  no<IsAny<typeof result.usage>>()
  no<IsAny<typeof result.steps>>()
  yes<Equal<typeof result.summary, string>>()
  yes<Equal<typeof result.costUsd, number | null>>()
  yes<Equal<typeof result.status, 'completed' | 'incomplete' | 'failed' | 'cancelled'>>()
  yes<Equal<typeof result.verdict, 'pass' | 'unverified' | 'fail'>>()
  yes<Equal<NonNullable<typeof result.error>['code'], ErrorCode>>()
  yes<Equal<(typeof result.warnings)[number]['code'], WarningCode>>()
  yes<Equal<NonNullable<typeof result.incomplete>['reason'], IncompleteReason>>()
  yes<Equal<NonNullable<typeof result.plan>['topology'], TopologyName>>()
  // @ts-expect-error: there is no such code
  if (result.error?.code === 'budget_exhausted_') return
  // @ts-expect-error: it may be missing
  result.complexity.score
  // @ts-expect-error: there is no such field
  result.answer
  // @ts-expect-error: there is no such risk
  await client.run('x', { riskLevel: 'huge' })
  // @ts-expect-error: there is no such option
  await client.run('x', { tokenBugdet: 5 })
  // @ts-expect-error: a task is a text
  await client.run(5)
  // @ts-expect-error: a plan is what the other method makes
  await client.plan('x', { plan: {} })

  const planned = await client.plan('x')
  no<IsAny<typeof planned.plan>>()
  await client.run('x', { plan: planned.plan, signal: AbortSignal.timeout(1), threadId: 'thr' })
  const complexity = await client.analyze({ id: 'x', description: 'x' })
  yes<Equal<typeof complexity.score, number>>()
  // @ts-expect-error: a task needs its description
  await client.analyze({ id: 'x' })

  const stream = client.stream('x')
  for await (const event of stream) {
    no<IsAny<typeof event>>()
    no<IsAny<typeof event.data>>()
    // @ts-expect-error: there is no such event
    if (event.type === 'run.finished') return
    if (event.type === 'tool.failed') yes<Equal<typeof event.data.error.code, ErrorCode>>()
    if (event.type === 'message.delta') yes<Equal<typeof event.data.text, string>>()
  }
  no<IsAny<Awaited<typeof stream.result>>>()
  const off = client.onEvent((event) => no<IsAny<typeof event>>())
  yes<Equal<typeof off, () => void>>()

  const agent = await client.createAgent({ name: 'x' })
  yes<Equal<typeof agent.id, string>>()
  // @ts-expect-error: an agent needs its name
  await client.createAgent({ role: 'x' })
  const record = await client.writeMemory({ content: 'x', layer: 'working' })
  no<IsAny<typeof record.trust>>()
  // @ts-expect-error: there is no such layer
  await client.writeMemory({ content: 'x', layer: 'cellar' })
  const { data } = await client.queryMemory('x')
  no<IsAny<(typeof data)[number]>>()

  type Groups = 'runs' | 'approvals' | 'agents' | 'memory' | 'threads'
  type AnyGroup = {
    [G in Groups]: { [M in keyof ServiceClient[G]]-?: IsAny<ServiceClient[G][M]> }[keyof ServiceClient[G]]
  }[Groups]
  no<AnyGroup>()
  type Results = 'inspect' | 'describe' | 'health' | 'listAgents'
  type AnyResult = { [M in Results]: IsAny<Awaited<ReturnType<ServiceClient[M]>>> }[Results]
  no<AnyResult>()
}

export async function disposed(): Promise<void> {
  await using own = await createClient({ config: false })
  await own.run('x')
}

export const mine = definePlugin('mine', (host) => {
  no<IsAny<typeof host>>()
  no<IsAny<typeof host.hooks.plan>>()
})
