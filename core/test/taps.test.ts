import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plugin, RunEvent, Runtime, RuntimeSettings, StageTap } from '../src/index.ts'
import { AMEND, createMemoryStore, definePlugin, startRuntime } from '../src/index.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { tiny } from './fixtures/tiny-plugins.ts'

const model = definePlugin('model', ({ providers }) =>
  providers.add(
    'scripted',
    scriptedProvider('scripted', () => ({ text: 'an answer', usage: { inputTokens: 10, outputTokens: 5 } })),
  ),
)()

interface Ended {
  runtime: Runtime
  runId: string
  events: RunEvent[]
  tapsOf(stage: string): StageTap[]
}

async function runWith(plugins: Plugin[], settings: Partial<RuntimeSettings> = {}): Promise<Ended> {
  const runtime = await startRuntime({
    plugins: [tiny(), model, ...plugins].map((plugin) => ({ plugin, source: 'config' })),
    defaultModel: 'scripted',
    ...settings,
  })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id: runId } = await runtime.runs.create({ task: 'say something' })
  await runtime.runs.wait(runId)
  const tapsOf = (stage: string): StageTap[] =>
    events.flatMap((event) =>
      (event.type === 'stage.completed' || event.type === 'stage.failed') && event.stage === stage
        ? (event.data.taps ?? [])
        : [],
    )
  return { runtime, runId, events, tapsOf }
}

const untimed = (taps: StageTap[]) => taps.map(({ durationMs: _, ...tap }) => tap)

const test = suite('taps of a stage')

test('the log names each tap in its turn, with what it changed in the earlier answer', async () => {
  const louder = definePlugin('louder', ({ hooks }) => {
    hooks.plan.tap({ name: 'louder', stage: AMEND }, (plan) => plan && { ...plan, warnings: ['loud'] })
    hooks.plan.tap({ name: 'quiet', stage: AMEND + 1 }, () => undefined)
  })()
  const { runtime, tapsOf } = await runWith([louder])
  assert.equal(untimed(tapsOf('plan')), [
    { plugin: 'tiny', tap: 'tiny', answered: true },
    {
      plugin: 'louder',
      tap: 'louder',
      answered: true,
      changes: [{ path: '/warnings/0', before: null, after: 'loud' }],
    },
    { plugin: 'louder', tap: 'quiet', answered: false },
  ])
  assert.equal(untimed(tapsOf('execute')), [{ plugin: 'tiny', tap: 'tiny', answered: true, tokens: 15 }])
  assert.ok(tapsOf('plan').every(({ durationMs }) => durationMs >= 0))
  await runtime.close()
})

test('a tap that fails, or answers what is no answer, is in the log of its stage', async () => {
  for (const bad of [
    () => {
      throw new Error('broken')
    },
    () => ({ nonsense: true }) as never,
  ]) {
    const broken = definePlugin('broken', ({ hooks }) => hooks.plan.tap({ name: 'bad', stage: AMEND }, bad))()
    const { runtime, tapsOf, events } = await runWith([broken])
    assert.ok(events.some(({ type }) => type === 'stage.failed'))
    assert.equal(untimed(tapsOf('plan')), [
      { plugin: 'tiny', tap: 'tiny', answered: true },
      { plugin: 'broken', tap: 'bad', answered: false },
    ])
    const [, time] = (await runtime.describe()).taps.filter(({ hook }) => hook === 'plan')
    assert.is(time?.calls, 1)
    await runtime.close()
  }
})

test('changes are few, short and without secrets', async () => {
  const secret = 'sk-very-secret-0123456789'
  const long = definePlugin('long', ({ hooks }) =>
    hooks.plan.tap({ name: 'long', stage: AMEND }, (plan) => {
      if (plan === undefined) return plan
      const [step] = plan.steps
      const objective = `${'x'.repeat(490)}${secret}${'y'.repeat(1_000)}`
      const warnings = Array.from({ length: 50 }, (_, index) => `warning ${index}`)
      return { ...plan, steps: step ? [{ ...step, objective }] : [], warnings, id: `plan ${secret}` }
    }),
  )()
  const { runtime, tapsOf } = await runWith([long], { redact: (text) => text.replaceAll(secret, '[redacted]') })
  const { changes = [] } = tapsOf('plan').at(-1) ?? {}
  assert.is(changes.length, 20)
  assert.is(JSON.stringify(changes).includes('sk-v'), false)
  assert.is(changes.find(({ path }) => path === '/id')?.after, 'plan [redacted]')
  assert.is(String(changes.find(({ path }) => path === '/steps/0/objective')?.after).length, 500)
  await runtime.close()
})

test('a log replays as identical, with its taps and without', async () => {
  const store = createMemoryStore()
  const amend = definePlugin('amend', ({ hooks }) =>
    hooks.plan.tap({ name: 'amend', stage: AMEND }, (plan) => plan && { ...plan, warnings: ['changed'] }),
  )()
  const { runtime, runId } = await runWith([amend], { store })
  assert.equal(await runtime.runs.replay(runId), { identical: true })
  const { list } = store.events
  const withoutTaps = (event: RunEvent): RunEvent => {
    if (event.type !== 'stage.completed') return event
    const { taps: _, ...data } = event.data
    return { ...event, data }
  }
  store.events.list = async (...query) => (await list.apply(store.events, query)).map(withoutTaps)
  assert.equal(await runtime.runs.replay(runId), { identical: true })
  await runtime.close()
})

test('the table of hooks counts calls and their time, of all hooks, over a new config', async () => {
  const twice = definePlugin('twice', ({ hooks }) => {
    hooks.modelResponse.tap('same', () => undefined)
    hooks.modelResponse.tap('same', () => undefined)
    hooks.toolRequest.tap('never', () => undefined)
  })()
  const settings = { plugins: [tiny(), model, twice].map((plugin) => ({ plugin })), defaultModel: 'scripted' }
  const runtime = await startRuntime(settings)
  const run = async (): Promise<void> => {
    const { id } = await runtime.runs.create({ task: 'say something' })
    await runtime.runs.wait(id)
  }
  const counts = async () =>
    Object.fromEntries(
      (await runtime.describe()).taps
        .filter(({ hook }) => ['plan', 'modelResponse', 'toolRequest'].includes(hook))
        .map(({ hook, name, calls }, index) => [`${hook} ${name} ${index}`, calls]),
    )
  await run()
  assert.equal(await counts(), {
    'plan tiny 0': 1,
    'modelResponse same 1': 1,
    'modelResponse same 2': 1,
    'toolRequest never 3': 0,
  })
  await runtime.reload(settings)
  await run()
  assert.equal(await counts(), {
    'plan tiny 0': 2,
    'modelResponse same 1': 2,
    'modelResponse same 2': 2,
    'toolRequest never 3': 0,
  })
  const { taps } = await runtime.describe()
  assert.ok(taps.every(({ calls, totalMs }) => (calls === 0 ? totalMs === 0 : totalMs > 0)))
  await runtime.close()
})

test.run()
