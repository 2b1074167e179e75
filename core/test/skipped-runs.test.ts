/** Runs that a process cannot work on: what it lacks is said once, and who can works on them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Run, RunCreate, Runtime, RuntimeSettings, Store } from '../src/index.ts'
import { createMemoryStore, definePlugin } from '../src/index.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { ended, expire, model, settled, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('runs that are left to others')

/** A handle on a store that says when a process has looked for runs so many times. */
function watch(store: Store) {
  const { store: watched, faults } = faultyStore(store)
  return { store: watched, looks: (times: number) => until(() => (faults.calls.get('claim') ?? 0) >= times) }
}

type Plugins = Parameters<typeof start>[0]

/**
 * A run whose process was killed once a model had answered its call `m`.
 *
 * @param toPlugins of its process, handed what tells whether the run was cut off already
 */
async function cutOff(
  toPlugins: (isCut: () => boolean) => Plugins,
  settings: Partial<RuntimeSettings> = {},
  create: Partial<RunCreate> = {},
): Promise<{ store: Store; id: string; plugins: Plugins }> {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  let isCut = false
  const plugins = toPlugins(() => isCut)
  const first = await start(plugins, { ...settings, store: mortal })
  const { id } = await first.runs.create({ task: 'x', ...create })
  await until(async () => (await store.steps(id)).some(({ key, state }) => key === 'm' && state === 'done'))
  faults.die()
  isCut = true
  await expire(store, id)
  return { store, id, plugins }
}

const always = (): boolean => true

/** What a person is warned of meanwhile. */
async function said(work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = []
  const onWarning = ({ message }: Error): void => void lines.push(message)
  process.on('warning', onWarning)
  try {
    await work()
    await settled()
  } finally {
    process.off('warning', onWarning)
  }
  return lines
}

interface Case {
  /** What the first process has and the second has not. */
  more: Parameters<typeof start>[0]
  create?: Parameters<Runtime['runs']['create']>[0]
  settings?: [Partial<RuntimeSettings>, Partial<RuntimeSettings>]
  /** The first process is gone when the run is at work. */
  isBegun?: boolean
  says: RegExp
}

const helper = tool('helper', async () => 'helped')
const other = definePlugin('other', ({ providers }) =>
  providers.add(
    'other',
    scriptedProvider('other', () => 'x'),
  ),
)()
const duel = definePlugin('duel', ({ topologies }) =>
  topologies.add('DUEL', { plan: () => ({ steps: [{ objective: 'x' }] }) }),
)()
const cases: Record<string, Case> = {
  'a topology that is not here': {
    more: [duel],
    create: { task: 'x', plan: { ...plan(), topology: 'DUEL' }, topology: 'duel' },
    says: /cannot be worked on here.*topology must be one of AUTO, SINGLE/,
  },
  'a provider that is not here': {
    more: [other],
    create: { task: 'x', model: 'other/some' },
    says: /cannot be worked on here.*other/,
  },
  'a tool that was asked for': {
    more: [toolbox(helper)],
    create: { task: 'x', tools: { allow: ['helper'] } },
    says: /cannot be worked on here.*helper/,
  },
  'a tool that was used': {
    more: [toolbox(helper)],
    isBegun: true,
    says: /left to others.*it was begun with what is not here: the tool helper, which it has used/,
  },
  'another project': {
    more: [],
    settings: [{ space: '/projects/a' }, { space: '/projects/b' }],
    says: /left to others.*it was begun in \/projects\/a.*this process works for \/projects\/b/,
  },
}

for (const [name, { more, create = { task: 'x' }, settings = [{}, {}], isBegun = false, says }] of Object.entries(
  cases,
)) {
  test(`${name}: the run stays for a process that can, and that is said once`, async () => {
    const store: Store = createMemoryStore()
    const { store: mortal, faults } = faultyStore(store)
    let isCut = !isBegun
    const act = tiny({
      execute: async (run) => {
        if (run.options.tools === undefined && more.length > 0 && !isCut) {
          await run.tool({ key: 't', agentId: 'agent-1', callId: 'c', tool: 'helper', args: {} }).catch(() => {})
        }
        if (!isCut) {
          isCut = true
          await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
          faults.die()
          return new Promise(() => {})
        }
        return execution('done')
      },
    })
    const able = [...more, act, model()]
    const first = await start(able, { store: mortal, claims: isBegun ? 'all' : 'none', ...settings[0] })
    const { id } = await first.runs.create(create)
    await until(() => isCut)
    if (isBegun) await store.release({ runId: id, owner: '', epoch: 1, expiresAt: 0 })
    const lines = await said(async () => {
      const watched = watch(store)
      const unable = await start([act, model()], { store: watched.store, leaseMs: 60, ...settings[1] })
      await watched.looks(4)
      assert.not.ok(['completed', 'failed'].includes((await unable.runs.get(id, { all: true })).status))
      await unable.close()
    })
    assert.is(lines.length, 1, lines.join('\n'))
    assert.match(lines.join(''), says)
    const able2 = await start(able, { store, ...settings[0] })
    await ended(able2, id)
    assert.is((await able2.runs.get(id)).status, 'completed')
    await able2.close()
  })
}

test('of another project it is said once, however many runs there are', async () => {
  const store = createMemoryStore()
  const first = await start([tiny(), model()], { store, claims: 'none', space: '/projects/a' })
  for (let n = 0; n < 20; n++) await first.runs.create({ task: `${n}` })
  assert.is((await first.runs.list({ limit: 1 })).data[0]?.space, '/projects/a')
  const lines = await said(async () => {
    const watched = watch(store)
    const second = await start([tiny(), model()], { store: watched.store, leaseMs: 60, space: '/projects/b' })
    await watched.looks(4)
    await second.close()
  })
  assert.is(lines.length, 1)
})

interface Gone {
  /** What only the first process has. */
  more: Parameters<typeof start>[0]
  agents?: RuntimeSettings['agents']
  create?: Partial<Parameters<Runtime['runs']['create']>[0]>
  /** Called by the run before it is cut off. */
  uses?: string
  asks: RegExp
  /** What the run answers where it goes on without. */
  answers: string
}

const writer = { name: 'Writer', id: 'writer', model: 'other/some' }
const gone: Record<string, Gone> = {
  'a topology': {
    more: [duel],
    create: { plan: { ...plan(), topology: 'DUEL' } },
    asks: /the topology DUEL \(its plan is executed as any other/,
    answers: 'tool_not_found, scripted/scripted, ',
  },
  'a tool that it has used': {
    more: [toolbox(helper)],
    uses: 'helper',
    asks: /the tool helper, which it has used \(calls of it fail from now on\)/,
    answers: 'tool_not_found, scripted/scripted, ',
  },
  'a tool that it was allowed': {
    more: [toolbox(helper)],
    create: { tools: { allow: ['helper'] } },
    asks: /the tool helper, which it names \(it goes on without\)/,
    answers: 'tool_not_found, scripted/scripted, ',
  },
  'its model': {
    more: [other, toolbox(helper)],
    create: { model: 'other/some' },
    asks: /the model other\/some \(scripted\/scripted answers from now on: there is no provider "other"/,
    answers: 'tool_not_found, scripted/scripted, ',
  },
  'an agent': {
    more: [],
    agents: [{ ...writer, model: 'scripted/scripted' }],
    create: { agents: ['writer'] },
    asks: /the agent writer \(its steps are done without its profile\)/,
    answers: 'tool_not_found, scripted/scripted, ',
  },
  'the model of an agent': {
    more: [other],
    agents: [writer],
    create: { agents: [writer] },
    asks: /for Writer the model other\/some \(scripted\/scripted answers from now on: there is no provider "other"/,
    answers: 'tool_not_found, scripted/scripted, writer',
  },
}

for (const [name, { more, agents = [], create, uses, asks, answers }] of Object.entries(gone)) {
  test(`a begun run whose process lacks ${name} is left for a lease, and then a person says whether it goes on`, async () => {
    const begin = async (): Promise<{ store: Store; id: string; able: () => Promise<Runtime> }> => {
      const { store, id, plugins } = await cutOff((isCut) => [...more, act(isCut), model()], { agents }, create)
      return { store, id, able: () => start(plugins, { store, agents, config: { tokenBudget: 50_000 } }) }
    }
    const act = (isCut: () => boolean) =>
      tiny({
        execute: async (run) => {
          const call = (key: string) =>
            run
              .tool({ key, agentId: 'agent-1', callId: key, tool: 'helper', args: {} })
              .then(({ error }) => error?.code)
          if (uses !== undefined) await call('t')
          const ask = (key: string) =>
            run.model({ key, agentId: 'agent-1', model: run.agents[0]?.model ?? '', messages: [], stream: false })
          await ask('m')
          if (!isCut()) return new Promise(() => {})
          const { provider, model: name } = await ask('m2')
          return execution(`${await call('t2')}, ${provider}/${name}, ${run.agents.map(({ id }) => id).join()}`)
        },
      })
    const unable = (store: Store): Promise<Runtime> => start([act(always), model()], { store, leaseMs: 60 })
    for (const input of ['go on', 'cancel']) {
      const { store, id } = await begin()
      const runtime = await unable(store)
      await until(async () => (await runtime.runs.get(id)).status === 'waiting')
      const waiting = (await store.events.list(id)).findLast((event) => event.type === 'run.waiting')
      assert.is(waiting?.data.reason, 'replay_diverged')
      assert.match((await runtime.runs.get(id)).waiting?.input?.prompt ?? '', asks)
      await runtime.runs.resume(id, { input })
      await ended(runtime, id)
      const { status } = await runtime.runs.get(id)
      assert.is(status, input === 'go on' ? 'completed' : 'cancelled')
      if (input === 'go on') assert.is(await summaryOf(runtime, id), answers)
      await runtime.close()
    }
    const { store, id, able } = await begin()
    const asking = await unable(store)
    await until(async () => (await asking.runs.get(id)).status === 'waiting')
    await asking.close()
    const runtime = await able()
    await ended(runtime, id)
    assert.is((await runtime.runs.get(id)).status, 'completed', 'where nothing is missing nobody is asked')
    await runtime.close()
  })
}

test('a run that fits none of two configs is asked about by one of them, while both are there', async () => {
  const act = (isCut: () => boolean) =>
    tiny({
      execute: async (run) => {
        await run.tool({ key: 't', agentId: 'agent-1', callId: 't', tool: 'helper', args: {} })
        await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
        return isCut() ? execution('done') : new Promise(() => {})
      },
    })
  const { store, id } = await cutOff((isCut) => [toolbox(helper), act(isCut), model()])
  const runtimes = await Promise.all(
    [{}, { tokenBudget: 50_000 }].map((config) => start([act(always), model()], { store, leaseMs: 1_000, config })),
  )
  const [runtime] = runtimes
  await until(async () => (await runtime?.runs.get(id))?.status === 'waiting')
  await runtime?.runs.resume(id, { input: 'go on' })
  await until(async () => (await runtime?.runs.get(id))?.status === 'completed')
  for (const each of runtimes) await each.close()
})

test('where something else is missing by then, another question takes the place of the one that nobody answered', async () => {
  const second = tool('second', async () => 'helped')
  const act = (isCut: () => boolean) =>
    tiny({
      execute: async (run) => {
        for (const id of ['helper', 'second'])
          await run.tool({ key: id, agentId: 'agent-1', callId: id, tool: id, args: {} })
        await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
        return isCut() ? execution('done') : new Promise(() => {})
      },
    })
  const { store, id } = await cutOff((isCut) => [toolbox(helper, second), act(isCut), model()])
  const asks = async (runtime: Runtime, what: RegExp): Promise<void> => {
    await until(async () => (await runtime.runs.get(id)).status === 'waiting')
    await until(async () => what.test((await runtime.runs.get(id)).waiting?.input?.prompt ?? ''))
  }
  const one = await start([toolbox(second), act(always), model()], { store, leaseMs: 60 })
  await asks(one, /not here: the tool helper[^;]*$/)
  await one.close()
  const both = await start([act(always), model()], { store, leaseMs: 60 })
  await asks(both, /not here: the tool helper[^;]*; the tool second[^;]*$/)
  await both.runs.resume(id, { input: 'go on' })
  await ended(both, id)
  assert.is((await both.runs.get(id)).status, 'completed')
  await both.close()
})

/** A run that was cut off after it had used `helper`, about which a process without it has asked, and which is gone. */
async function askedAbout(): Promise<{ store: Store; id: string; act: Plugins }> {
  const act = (isCut: () => boolean) =>
    tiny({
      execute: async (run) => {
        const call = (key: string) => ({ key, agentId: 'agent-1', model: '', messages: [], stream: false })
        await run.tool({ key: 't', agentId: 'agent-1', callId: 't', tool: 'helper', args: {} })
        await run.model(call('m'))
        return isCut() ? execution((await run.model(call('m2'))).text) : new Promise(() => {})
      },
    })
  const { store, id } = await cutOff((isCut) => [toolbox(helper), act(isCut), model()])
  const asking = await start([act(always), model()], { store, leaseMs: 60 })
  await until(async () => (await asking.runs.get(id)).status === 'waiting')
  await asking.close()
  return { store, id, act: [toolbox(helper), act(always)] }
}

test('a run that was asked about and then fits is at work, and one that ends its process again and again is asked about', async () => {
  const { store, id, act } = await askedAbout()
  const isAsked = (run: Run): boolean => /may end its process/.test(run.waiting?.input?.prompt ?? '')
  let hasAsked = false
  for (let life = 0; life < 10 && !hasAsked; life++) {
    const { store: mortal, faults } = faultyStore(store)
    let isCalled = false
    const hanging = model(() => {
      isCalled = true
      return new Promise(() => {})
    })
    const runtime = await start([...act, hanging], { store: mortal })
    await until(async () => isCalled || isAsked(await runtime.runs.get(id)))
    hasAsked = isAsked(await runtime.runs.get(id))
    if (!hasAsked) assert.is((await runtime.runs.get(id)).status, 'running', `in life ${life}`)
    faults.die()
    await expire(store, id)
  }
  assert.ok(hasAsked, 'nobody was asked')
})

test('what a person said while nobody held the run counts where the next process has all that it needs', async () => {
  for (const [value, end] of [
    ['go on', 'completed'],
    ['cancel', 'cancelled'],
  ]) {
    const { store, id, act } = await askedAbout()
    await store.command(id, { id: `cmd_${id.slice(4)}`, kind: 'input', key: 'go-on/1', value, by: 'user' })
    const runtime = await start([...act, model()], { store })
    await ended(runtime, id)
    assert.is((await runtime.runs.get(id)).status, end)
    await runtime.close()
  }
})

test('an answer that came too late hides no later question', async () => {
  const { store, id, act } = await askedAbout()
  const { store: mortal, faults } = faultyStore(store)
  const isBegun = async (): Promise<boolean> => (await store.steps(id)).some(({ key }) => key === 'm2')
  await start([...act, model(() => new Promise(() => {}))], { store: mortal })
  await until(isBegun)
  await store.command(id, { id: `cmd_${id.slice(4)}`, kind: 'input', key: 'go-on/1', value: 'go on', by: 'user' })
  faults.die()
  await expire(store, id)
  const asking = await start([...act.slice(1), model()], { store, leaseMs: 60, config: { tokenBudget: 50_000 } })
  await until(async () => (await asking.runs.get(id)).status === 'waiting')
  await asking.runs.resume(id, { input: 'go on' })
  await ended(asking, id)
  await asking.close()
})

test('a tool that only one agent has, as its own, is not missed', async () => {
  const act = (isCut: () => boolean) =>
    tiny({
      execute: async (run) => {
        await run.tool({
          key: 't',
          agentId: 'agent-1',
          callId: 't',
          tool: 'own',
          args: {},
          own: tool('own', async () => 1),
        })
        await run.model({ key: 'm', agentId: 'agent-1', model: '', messages: [], stream: false })
        return isCut() ? execution('done') : new Promise(() => {})
      },
    })
  const { store, id } = await cutOff((isCut) => [act(isCut), model()])
  const second = await start([act(always), model()], { store })
  await until(async () => ['completed', 'waiting'].includes((await second.runs.get(id)).status))
  assert.is((await second.runs.get(id)).status, 'completed')
  await second.close()
})

test.run()
