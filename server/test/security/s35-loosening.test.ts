/** No request gives its run more than the config of the server says: each field that both have is tried, on every way. */
import { createMemoryStore, definePlugin, type SvcConfig, type Tool } from '@svc/core'
import { RunBudget } from '@svc/core/schema'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('s35 loosening')

const PRICED = [{ id: 'scripted', price: { input: 1, output: 1 }, context: 100_000, maxOutput: 4_096 }]
const FIELDS = Object.keys(RunBudget.properties) as (keyof RunBudget)[]
/** What the config says, and much more. */
const SMALL: Required<RunBudget> = {
  maxTokens: 9_000,
  maxCostUsd: 0.5,
  maxSteps: 6,
  maxWallMs: 60_000,
  maxQueueMs: 50_000,
}
const LARGE = Object.fromEntries(FIELDS.map((field) => [field, SMALL[field] * 4])) as Required<RunBudget>
const LESS = Object.fromEntries(FIELDS.map((field) => [field, SMALL[field] / 2])) as Required<RunBudget>

/** A server with a config, and what runs that a request makes may take. */
async function open(config: SvcConfig, more: { script?: Script; written?: unknown[] } = {}) {
  const store = createMemoryStore()
  const write: Tool = {
    id: 'write_note',
    description: 'writes a note',
    parameters: { type: 'object' },
    risk: 'write',
    async run(args) {
      more.written?.push(args)
      return 'written'
    },
  }
  const world = await openServer({
    models: PRICED,
    ...(more.script && { script: more.script }),
    config: { components: { inspect: false, reflect: false }, ...config },
    runtime: { store },
    plugins: [definePlugin('note', ({ tools }) => tools.add('write_note', write))()],
  })
  const limits = async (id: string) => (await store.runs.get(id))?.limits
  return { world, limits }
}

const WAYS: Record<string, (world: OpenServer, options: object) => Promise<string>> = {
  'POST /v1/runs': async (world, options) =>
    String(
      (await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'x', topology: 'SINGLE', ...options } })).json.id,
    ),
  'POST /execute': async (world, options) =>
    String(
      (await world.ask('POST', '/execute', { body: { task: 'x', options: { topology: 'SINGLE', ...options } } })).json
        .runId,
    ),
  'POST /v1/runs/{id}/fork of a run that was made elsewhere': async (world, options) => {
    const { id } = await world.runtime.runs.create({ task: 'x', topology: 'SINGLE', ...options })
    await world.runtime.runs.wait(id)
    const fork = await world.ask('POST', `/v1/runs/${id}/fork`, { body: { atSeq: 1, edits: { task: 'y' } } })
    await world.runtime.runs.wait(String(fork.json.id))
    return String(fork.json.id)
  },
}

for (const [way, make] of Object.entries(WAYS)) {
  test(`${way}: no limit of the budget is raised, each may be lowered`, async () => {
    const { world, limits } = await open({ budget: SMALL, tokenBudget: 4_000 })
    for (const field of FIELDS) {
      const raised = await limits(await make(world, { budget: { [field]: LARGE[field] } }))
      assert.is(raised?.budget[field], SMALL[field], field)
      const lowered = await limits(await make(world, { budget: { [field]: LESS[field] } }))
      assert.is(lowered?.budget[field], LESS[field], field)
    }
    const whole = await limits(await make(world, { budget: LARGE, tokenBudget: 1_000_000 }))
    assert.equal([whole?.tokenBudget, whole?.maxTokens], [4_000, 9_000])
    assert.is((await limits(await make(world, { tokenBudget: 2_000 })))?.tokenBudget, 2_000)
  })

  test(`${way}: where the config has a soft budget alone, no request passes twice of it`, async () => {
    const { world, limits } = await open({ tokenBudget: 4_000 })
    const asked = await limits(await make(world, { budget: { maxTokens: 900_000 }, tokenBudget: 900_000 }))
    assert.equal([asked?.tokenBudget, asked?.maxTokens], [4_000, 8_000])
  })

  test(`${way}: where the config says nothing, the request stands`, async () => {
    const { world, limits } = await open({})
    const asked = await limits(await make(world, { budget: { maxSteps: 24 }, tokenBudget: 90_000 }))
    assert.equal([asked?.tokenBudget, asked?.maxTokens, asked?.budget.maxSteps], [90_000, 180_000, 24])
  })
}

test('a request for 24 calls makes the 6 that the config allows', async () => {
  let calls = 0
  const script: Script = () => {
    calls++
    return { toolCalls: [{ tool: 'write_note', args: { n: calls } }] }
  }
  const { world } = await open({ budget: { maxSteps: 6 } }, { script })
  await WAYS['POST /v1/runs']?.(world, { budget: { maxSteps: 24 }, approval: 'allow-write' })
  assert.is(calls, 6)
})

/** Calls the tool once, then answers. */
const writesOnce: Script = ({ messages }) =>
  messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ tool: 'write_note', args: { text: 'hi' } }] }

for (const [what, policy] of Object.entries({
  'a rule that asks': { rules: [{ tool: 'write_note', decision: 'ask' }] },
  'a default that asks': { default: 'ask' },
} satisfies Record<string, SvcConfig['policy']>)) {
  for (const way of ['POST /v1/runs', 'POST /execute'] as const) {
    test(`${way}: ${what} is not passed by what a request says`, async () => {
      for (const options of [{ approval: 'allow-write' }, { allowWrites: true, approval: 'deny' }]) {
        const written: unknown[] = []
        const { world } = await open({ policy }, { script: writesOnce, written })
        await WAYS[way]?.(world, options)
        assert.equal(written, [], JSON.stringify(options))
      }
    })
  }
}

test('a fork of such a run elsewhere has no more either, and one that nobody bounds has what it asks for', async () => {
  const written: unknown[] = []
  const policy: SvcConfig['policy'] = { rules: [{ tool: 'write_note', decision: 'ask' }] }
  const { world, limits } = await open({ policy, budget: { maxSteps: 6 } }, { script: writesOnce, written })
  const id = (await WAYS['POST /v1/runs']?.(world, { approval: 'allow-write', budget: { maxSteps: 24 } })) ?? ''
  const fork = await world.runtime.runs.fork(id, { atSeq: 1, edits: { task: 'y' } })
  await world.runtime.runs.wait(fork.id)
  assert.equal([written, (await limits(fork.id))?.budget.maxSteps], [[], 6])
  const own = await world.runtime.runs.create({ task: 'x', approval: 'allow-write', budget: { maxSteps: 24 } })
  await world.runtime.runs.wait(own.id)
  assert.equal([written.length, (await limits(own.id))?.budget.maxSteps], [1, 24])
})

test('without a rule, a request that lets its run write is heard', async () => {
  const written: unknown[] = []
  const { world } = await open({}, { script: writesOnce, written })
  await WAYS['POST /v1/runs']?.(world, { approval: 'allow-write' })
  assert.is(written.length, 1)
})

test.run()
