/** Nobody but who may decide gets a run that may do more than the config says: each field that both have is tried, on every way. */
import { createMemoryStore, definePlugin, type SvcConfig, type Tool } from '@svc/core'
import { RunBudget } from '@svc/core/schema'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../../src/index.ts'
import { type Answered, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

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

const CI: ScopedKey = { name: 'ci', key: 'ci-key', scopes: ['submit'] }

interface More {
  script?: Script
  written?: unknown[]
  keys?: readonly (string | ScopedKey)[]
}

/** A server with a config, and what runs that a request makes may take. */
async function open(config: SvcConfig, more: More = {}) {
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
    ...(more.keys && { server: { keys: () => more.keys ?? [] } }),
    config: { components: { inspect: false, reflect: false }, ...config },
    runtime: { store },
    plugins: [definePlugin('note', ({ tools }) => tools.add('write_note', write))()],
  })
  const limits = async (id: string) => (await store.runs.get(id))?.limits
  return { world, limits }
}

/** Asks for a run with these headers. */
type Way = (world: OpenServer, headers: Record<string, string>, options: object) => Promise<Answered>

const WAYS: Record<string, Way> = {
  'POST /v1/runs': (world, headers, options) =>
    world.askAs(headers, 'POST', '/v1/runs?wait=60000', { task: 'x', topology: 'SINGLE', ...options }),
  'POST /execute': (world, headers, options) =>
    world.askAs(headers, 'POST', '/execute', { task: 'x', options: { topology: 'SINGLE', ...options } }),
}

const idOf = ({ json }: Answered): string => String(json.id ?? json.runId)
const fieldsOf = ({ json }: Answered): string[] => (json.errors as { path: string }[]).map(({ path }) => path)
const admin = ({ server }: OpenServer): Record<string, string> => ({ 'x-api-key': server.localKey })

for (const [way, ask] of Object.entries(WAYS)) {
  test(`${way}: no limit of the budget is raised without a key that may decide, each may be lowered`, async () => {
    const { world, limits } = await open({ budget: SMALL, tokenBudget: 4_000 })
    for (const field of FIELDS) {
      const refused = await ask(world, {}, { budget: { [field]: LARGE[field] } })
      assert.equal(
        [refused.status, refused.json.code, fieldsOf(refused)],
        [401, 'unauthenticated', [`/budget/${field}`]],
      )
      const lowered = await limits(idOf(await ask(world, {}, { budget: { [field]: LESS[field] } })))
      assert.is(lowered?.budget[field], LESS[field], field)
      const raised = await limits(idOf(await ask(world, admin(world), { budget: { [field]: LARGE[field] } })))
      assert.is(raised?.budget[field], LARGE[field], field)
    }
    assert.equal(fieldsOf(await ask(world, {}, { tokenBudget: 1_000_000 })), ['/tokenBudget'])
    assert.is((await limits(idOf(await ask(world, {}, { tokenBudget: 2_000 }))))?.tokenBudget, 2_000)
    const whole = await limits(idOf(await ask(world, admin(world), { budget: LARGE, tokenBudget: 30_000 })))
    assert.equal([whole?.tokenBudget, whole?.maxTokens], [30_000, 36_000])
  })

  test(`${way}: a key that is for submitting alone is refused what passes the config, with the field`, async () => {
    const { world, limits } = await open({ budget: SMALL, tokenBudget: 4_000 }, { keys: ['owner-key', CI] })
    for (const field of FIELDS) {
      const refused = await ask(world, { 'x-api-key': CI.key }, { budget: { [field]: LARGE[field] } })
      assert.equal([refused.status, refused.json.code, fieldsOf(refused)], [403, 'policy_denied', [`/budget/${field}`]])
      const raised = await ask(world, { 'x-api-key': 'owner-key' }, { budget: { [field]: LARGE[field] } })
      assert.is((await limits(idOf(raised)))?.budget[field], LARGE[field], field)
    }
  })

  test(`${way}: where the config has a soft budget alone, no request passes twice of it`, async () => {
    const { world, limits } = await open({ tokenBudget: 4_000 })
    assert.equal(fieldsOf(await ask(world, {}, { budget: { maxTokens: 8_001 } })), ['/budget/maxTokens'])
    assert.is((await limits(idOf(await ask(world, {}, { budget: { maxTokens: 8_000 } }))))?.maxTokens, 8_000)
  })

  test(`${way}: where the config says nothing of a limit, the request stands`, async () => {
    const { world, limits } = await open({})
    const asked = await limits(idOf(await ask(world, {}, { budget: { maxSteps: 24 } })))
    assert.is(asked?.budget.maxSteps, 24)
  })
}

test('a fork has no limit of a run of somebody who may more, unless who asks may too', async () => {
  const { world, limits } = await open({ budget: SMALL, tokenBudget: 4_000 })
  const { id } = await world.runtime.runs.create({ task: 'x', topology: 'SINGLE', budget: LARGE, tokenBudget: 16_000 })
  await world.runtime.runs.wait(id)
  const fork = async (headers: Record<string, string>) => {
    const made = await world.askAs(headers, 'POST', `/v1/runs/${id}/fork`, { atSeq: 1, edits: { task: 'y' } })
    await world.runtime.runs.wait(idOf(made))
    return limits(idOf(made))
  }
  assert.equal(await fork({}), { tokenBudget: 4_000, maxTokens: 9_000, budget: SMALL })
  assert.equal(await fork(admin(world)), { tokenBudget: 16_000, maxTokens: 36_000, budget: LARGE })
})

/** Calls the tool once, then answers. */
const writesOnce: Script = ({ messages }) =>
  messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ tool: 'write_note', args: { text: 'hi' } }] }

for (const [what, policy] of Object.entries({
  'a rule that asks': { rules: [{ tool: 'write_note', decision: 'ask' }] },
  'a default that asks': { default: 'ask' },
} satisfies Record<string, SvcConfig['policy']>)) {
  for (const [way, ask] of Object.entries(WAYS)) {
    test(`${way}: ${what} is not passed without a key that may decide`, async () => {
      for (const [field, options] of [
        ['/approval', { approval: 'allow-write' }],
        ['/allowWrites', { allowWrites: true, approval: 'deny' }],
      ] as const) {
        const written: unknown[] = []
        const { world } = await open({ policy }, { script: writesOnce, written })
        const refused = await ask(world, {}, options)
        assert.equal([refused.status, refused.json.code, fieldsOf(refused)], [401, 'unauthenticated', [field]])
        assert.equal(written, [], JSON.stringify(options))
        await ask(world, admin(world), options)
        assert.is(written.length, 1, JSON.stringify(options))
      }
    })
  }

  test(`${what} is not passed by a run whose maker may not loosen it, nor by what goes on from it`, async () => {
    const written: unknown[] = []
    const { world, limits } = await open({ policy, budget: { maxSteps: 6 } }, { script: writesOnce, written })
    const { runs } = world.runtime
    const asked = { task: 'x', topology: 'SINGLE', approval: 'allow-write', budget: { maxSteps: 24 } } as const
    // Who asks lets it be made; it stays a run of that maker.
    const { id } = await runs.create(asked, { onLoosened: () => {} })
    await runs.wait(id)
    assert.equal([written, (await limits(id))?.budget.maxSteps], [[], 6])
    const fork = await runs.fork(id, { atSeq: 1, edits: { task: 'y' } })
    await runs.wait(fork.id)
    assert.equal([written, (await limits(fork.id))?.budget.maxSteps], [[], 6])
    const own = await runs.create(asked)
    await runs.wait(own.id)
    assert.equal([written.length, (await limits(own.id))?.budget.maxSteps], [1, 24])
  })
}

test('what is resumed of such a run is bound as well, until who may decide adds to its budget', async () => {
  const { world, limits } = await open(
    { budget: { maxSteps: 6 } },
    { script: ({ messages: { length } }) => ({ toolCalls: [{ tool: 'write_note', args: { length } }] }) },
  )
  const { runs } = world.runtime
  const asked = { task: 'x', topology: 'SINGLE', budget: { maxSteps: 24 } } as const
  const { id } = await runs.create(asked, { onLoosened: () => {} })
  assert.is.not((await runs.wait(id)).status, 'completed')
  const anew = await world.askAs({}, 'POST', `/v1/runs/${id}/resume`, {})
  assert.equal([anew.status, fieldsOf(anew)], [401, ['/budget/maxSteps']], 'it would be asked for anew')
  const byAdmin = await world.askAs(admin(world), 'POST', `/v1/runs/${id}/resume`, {})
  await runs.wait(idOf(byAdmin))
  assert.is((await limits(idOf(byAdmin)))?.budget.maxSteps, 6)
  const refused = await world.askAs({}, 'POST', `/v1/runs/${id}/resume`, { addBudget: 9_000 })
  assert.equal([refused.status, fieldsOf(refused)], [401, ['/addBudget']])
  const added = await world.askAs(admin(world), 'POST', `/v1/runs/${id}/resume`, { addBudget: 9_000 })
  await runs.wait(idOf(added))
  assert.ok(((await limits(idOf(added)))?.budget.maxSteps ?? 0) > 6)
})

test.run()
