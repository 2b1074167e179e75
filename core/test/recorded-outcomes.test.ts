/** Every outcome of a call is recorded: what a run that goes on after a crash makes of it, and what of a call in doubt. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type {
  Plugin,
  Price,
  Reserve,
  RunContext,
  RunEvent,
  Runtime,
  RuntimeSettings,
  StepRow,
  Store,
} from '../src/index.ts'
import { createMemoryStore, definePlugin, ProviderError, RunView, textMessage, toSvcError } from '../src/index.ts'
import { type Script, scriptedProvider } from '../src/testing/index.ts'
import { type Faults, faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, expire, model, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { execution, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('recorded outcomes')

let endAll: (reason: Error) => void = () => {}
/** Ends with the tests: a tool that hangs in a process that has died keeps the one of the tests until its time is up. */
const never = new Promise<never>((_, reject) => {
  endAll = reject
})
never.catch(() => {})
// What hangs is to fail by its test, not by a process that has nothing left to do.
const alive = setInterval(() => {}, 1_000)
const opened = new Set<Runtime>()
test.after.each(async () => {
  for (const runtime of opened) await runtime.close()
  opened.clear()
})
test.after(() => {
  clearInterval(alive)
  endAll(new Error('the tests are over'))
})

interface Life {
  runtime: Runtime
  faults: Faults
  /** Nothing more comes of the process, and others may take up its run. */
  die(id: string): Promise<void>
}

/** A process that works on the runs of a store until it dies. */
async function live(store: Store, plugins: Plugin[], settings: Partial<RuntimeSettings> = {}): Promise<Life> {
  const mortal = faultyStore(store)
  const runtime = await start(plugins, { store: mortal.store, drainMs: 1, ...settings })
  opened.add(runtime)
  const die = async (id: string): Promise<void> => {
    mortal.faults.die()
    opened.delete(runtime)
    await expire(store, id)
  }
  return { runtime, faults: mortal.faults, die }
}

const acting = (act: (run: RunContext) => Promise<string>): Plugin =>
  tiny({ execute: async (run) => execution(await act(run)) })

const ask = (run: RunContext, key: string, text = key): Promise<string> =>
  run
    .model({ key, agentId: 'agent-1', model: '', messages: [textMessage('user', text)], stream: false })
    .then((answer) => answer.text)

const call = (run: RunContext, id: string, args: object = {}, key = 't', callId = 'c') =>
  run.tool({ key, agentId: 'agent-1', callId, tool: id, args })

const refusing: Script = () => ({ error: new ProviderError('provider_auth', 'a wrong key', { provider: 'scripted' }) })

const count = (events: readonly RunEvent[], type: RunEvent['type']): number =>
  events.filter((event) => event.type === type).length

/** Waits until a step is recorded. */
const written = (store: Store, id: string, key: string, state = 'done'): Promise<void> =>
  until(async () => (await store.steps(id)).some((step) => step.key === key && step.state === state))

/** Decides by what a first call answers, acts on it, and then waits for good in its first life. */
function deciding() {
  const seen = { planned: 0, acted: [] as unknown[] }
  let isFirst = true
  const act = acting(async (run) => {
    const decided = await ask(run, 'plan').catch((error) => `by rules, for ${error.code}: ${error.message}`)
    await call(run, 'act', { decided })
    if (isFirst) {
      isFirst = false
      return never
    }
    return decided
  })
  const script: Script = (request, index) => {
    seen.planned++
    return isFirst ? refusing(request, index) : 'by a model'
  }
  const acts = tool('act', async (args) => seen.acted.push(args), { risk: 'write' })
  return { seen, plugins: [toolbox(acts), act, model(script)] }
}

test('a model call that failed for good fails again after a crash, without a call, and the run decides as it did', async () => {
  const store = createMemoryStore()
  const { seen, plugins } = deciding()
  const first = await live(store, plugins)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await written(store, id, 't')
  await first.die(id)
  const second = await live(store, plugins)
  await ended(second.runtime, id)
  assert.is(await summaryOf(second.runtime, id), 'by rules, for provider_auth: a wrong key')
  assert.equal([seen.planned, seen.acted.length], [1, 1])
  const events = await store.events.list(id)
  assert.equal([count(events, 'model.started'), count(events, 'model.failed')], [1, 1])
  const types = new RunView(events).modelCalls.map(({ status, error }) => [status, error?.code])
  assert.equal(types, [['failed', 'provider_auth']])
})

test('work of `record` that failed fails again after a crash, with the same error', async () => {
  const store = createMemoryStore()
  let worked = 0
  let isFirst = true
  const act = acting(async (run) => {
    const said = await run
      .record('look', async () => {
        worked++
        throw new Error('no such thing')
      })
      .catch((error) => `${toSvcError(error).message}`)
    await ask(run, 'm')
    if (isFirst) {
      isFirst = false
      return never
    }
    return said
  })
  const first = await live(store, [act, model()])
  const { id } = await first.runtime.runs.create({ task: 'x' })
  await written(store, id, 'm')
  await until(() => !isFirst)
  await first.die(id)
  const second = await live(store, [act, model()])
  await ended(second.runtime, id)
  assert.equal([await summaryOf(second.runtime, id), worked], ['no such thing', 1])
})

test('a fork answers a failed call as recorded; a resumed run makes it again unless something rests on it', async () => {
  let made = 0
  let isUp = false
  const script: Script = (request, index) => {
    made++
    return isUp ? 'well' : refusing(request, index)
  }
  const act = acting(async (run) => {
    const first = await ask(run, 'm1').catch(({ code }) => code)
    return `${first}, ${await ask(run, 'm2')}`
  })
  const store = createMemoryStore()
  const { runtime } = await live(store, [act, model(script)])
  const { id } = await runtime.runs.create({ task: 'x' })
  const { status, lastSeq } = await runtime.runs.wait(id)
  assert.equal([status, made], ['failed', 2])
  const formatOf = async (runId: string): Promise<number | undefined> => (await store.runs.get(runId))?.format
  assert.is(await formatOf(id), 2, 'an svc that knows no recorded errors leaves it alone')
  isUp = true
  const forked = await runtime.runs.fork(id, { atSeq: lastSeq })
  assert.equal([(await runtime.runs.wait(forked.id)).error?.code, made], ['provider_auth', 2])
  const resumed = await runtime.runs.resume(id)
  await ended(runtime, resumed.id)
  assert.equal([await summaryOf(runtime, resumed.id), made], ['provider_auth, well', 3])
  const well = await runtime.runs.create({ task: 'x' })
  await ended(runtime, well.id)
  assert.equal(await Promise.all([forked, resumed, well].map((run) => formatOf(run.id))), [2, 2, 1])
})

test('what is recorded of a model call, a tool call, a question or a plugin answers no other one after a crash', async () => {
  const outcomes: Record<string, [code: string | undefined, made: number, acted: number]> = {}
  const kinds: Record<string, (run: RunContext, word: string) => Promise<unknown>> = {
    model: (run, word) => ask(run, 'm1', word),
    tool: (run, word) => call(run, 'look', { word }),
    question: (run, word) => call(run, 'act', { word }),
    doubt: (run, word) => call(run, 'hangs', { word }),
    plugin: (run, word) => run.record('look', async () => word, { request: { word } }),
    unsaid: (run, word) => run.record('look', async () => word),
    nothing: (run) => ask(run, 'm1', 'one'),
  }
  const isBeside = (kind: string): boolean => ['tool', 'plugin', 'unsaid'].includes(kind)
  for (const [kind, doIt] of Object.entries(kinds)) {
    const store = createMemoryStore()
    let made = 0
    let acted = 0
    const plugins = (word: string, hangs: boolean): Plugin[] => [
      toolbox(
        tool('look', async () => ++acted),
        tool('act', async () => ++acted, { risk: 'write' }),
        tool('hangs', () => never, { risk: 'write' }),
      ),
      acting(async (run) => {
        await doIt(run, word)
        return ask(run, 'm2')
      }),
      model(() => {
        made++
        return made > 1 - Number(isBeside(kind)) && hangs ? never : 'well'
      }),
    ]
    const first = await live(store, plugins('one', true))
    const approval = kind === 'doubt' ? 'allow-write' : 'wait'
    const { id } = await first.runtime.runs.create({ task: 'x', approval })
    await written(store, id, { question: 't/approval', doubt: 't' }[kind] ?? 'm2', 'begun')
    await first.die(id)
    made = 0
    acted = 0
    const second = await live(store, plugins('two', false))
    // It is left to a process that fits; who asks a person in the end is tested with recoveries.
    const isLeft = async (): Promise<boolean> => (await store.runs.get(id))?.parted !== undefined
    await until(async () => (await isLeft()) || (await second.runtime.runs.get(id)).status === 'completed')
    outcomes[kind] = [(await isLeft()) ? 'replay_diverged' : undefined, made, acted]
  }
  assert.equal(outcomes, {
    model: ['replay_diverged', 0, 0],
    tool: ['replay_diverged', 0, 0],
    question: ['replay_diverged', 0, 0],
    doubt: ['replay_diverged', 0, 0],
    plugin: ['replay_diverged', 0, 0],
    unsaid: [undefined, 1, 0],
    nothing: [undefined, 1, 0],
  })
})

/** More than an agent is shown: the rest is stored beside the log. */
const LONG = 'a long result '.repeat(10_000)

test('a tool that acted and whose result cannot be stored is in doubt, and is not told to have failed', async () => {
  const store = createMemoryStore()
  let acted = 0
  const told: string[] = []
  const acts = tool('act', async () => ++acted && LONG, { risk: 'write' })
  const act = acting(async (run) => {
    const { ok, error } = await call(run, 'act')
    told.push(error?.code ?? String(ok))
    return told.join()
  })
  const first = await live(store, [toolbox(acts), act, model()])
  first.faults.failing.set('payloads.put', new Error('the disk is full'))
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'allow-write' })
  assert.is(await codeOf(first.runtime.runs.wait(id)), 'store_unavailable')
  await first.die(id)
  const second = await live(store, [toolbox(acts), act, model()])
  await until(async () => (await second.runtime.runs.get(id)).status === 'waiting')
  assert.equal([acted, told], [1, []])
  await second.runtime.runs.resume(id, { input: { callId: 'c', choice: 'result', result: 'sent' } })
  await ended(second.runtime, id)
  assert.equal([acted, told], [1, ['true']])
})

const denying = { config: { policy: { rules: [{ tool: 'act', decision: 'deny' as const }] } } }

test('a call that was made is answered from its record, whatever the policy says now', async () => {
  const store = createMemoryStore()
  let isFirst = true
  const act = acting(async (run) => {
    const { ok, content, args } = await call(run, 'act')
    if (isFirst) {
      isFirst = false
      return never
    }
    return JSON.stringify([ok, content, args])
  })
  let acted = 0
  const plugins = [toolbox(tool('act', async () => `${++acted} time`, { risk: 'write' })), act, model()]
  const first = await live(store, plugins)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'wait' })
  const { waiting } = await first.runtime.runs.wait(id)
  const approvalId = waiting?.approvals?.[0]?.id ?? ''
  await first.runtime.approvals.resolve(approvalId, { decision: 'edit', args: { edited: true } })
  await written(store, id, 't')
  await first.die(id)
  const second = await live(store, plugins, denying)
  await ended(second.runtime, id)
  const text = '[true,[{"type":"text","text":"1 time"}],{"edited":true}]'
  assert.is(await summaryOf(second.runtime, id), text)
  assert.is(count(await store.events.list(id), 'tool.denied'), 0)
})

test('a call in doubt is asked about as such, whatever the policy says now', async () => {
  const store = createMemoryStore()
  let isActing = false
  const act = acting(async (run) => JSON.stringify((await call(run, 'act')).content))
  const hangs = (): Promise<never> => {
    isActing = true
    return never
  }
  const hanging = tool('act', hangs, { risk: 'write' })
  const plugins = [toolbox(hanging), act, model()]
  const first = await live(store, plugins)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await until(() => isActing)
  await first.die(id)
  const second = await live(store, plugins, denying)
  await until(async () => (await second.runtime.runs.get(id)).status === 'waiting')
  const waiting = (await store.events.list(id)).findLast((event) => event.type === 'run.waiting')
  assert.is(waiting?.data.reason, 'indeterminate_tool')
  await second.runtime.runs.resume(id, { input: { callId: 'c', choice: 'result', result: 'sent' } })
  await ended(second.runtime, id)
  assert.match(await summaryOf(second.runtime, id), 'sent')
})

test('a call that may be made again, and by now may not, is asked about as in doubt', async () => {
  const store = createMemoryStore()
  let acted = 0
  const hangs = (): Promise<never> => {
    acted++
    return never
  }
  const pay = tool('act', hangs, { risk: 'write', idempotent: true })
  const act = acting(async (run) => JSON.stringify((await call(run, 'act')).content))
  const plugins = [toolbox(pay), act, model()]
  const first = await live(store, plugins)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'allow-write' })
  await until(() => acted === 1)
  await first.die(id)
  const second = await live(store, plugins, denying)
  await until(async () => (await second.runtime.runs.get(id)).status === 'waiting')
  await second.runtime.runs.resume(id, { input: { callId: 'c', choice: 'result', result: 'sent' } })
  await ended(second.runtime, id)
  assert.match(await summaryOf(second.runtime, id), 'sent')
  assert.is(acted, 1)
})

test('an approval for the whole run holds after a crash for calls that were made already', async () => {
  const store = createMemoryStore()
  let acted = 0
  let isFirst = true
  const act = acting(async (run) => {
    await call(run, 'act', {}, 't1', 'c1')
    if (isFirst) {
      isFirst = false
      return never
    }
    await call(run, 'act', {}, 't2', 'c2')
    return 'done'
  })
  const plugins = [toolbox(tool('act', async () => ++acted, { risk: 'write' })), act, model()]
  const first = await live(store, plugins)
  const { id } = await first.runtime.runs.create({ task: 'x', approval: 'wait' })
  const { waiting } = await first.runtime.runs.wait(id)
  await first.runtime.approvals.resolve(waiting?.approvals?.[0]?.id ?? '', { decision: 'approve', remember: 'run' })
  await written(store, id, 't1')
  await first.die(id)
  const second = await live(store, plugins)
  assert.is((await second.runtime.runs.wait(id)).status, 'completed', 'nobody is asked again')
  assert.is(acted, 2)
})

/** A model with a price that may write a long answer, and counts what it has served. */
function counting(maxOutput: number, hangs: () => boolean) {
  const served = { calls: 0, tokens: 0, limits: [] as (number | undefined)[] }
  const price: Price = { input: 1, output: 10 }
  const provider = scriptedProvider('scripted', (request) => {
    served.calls++
    served.limits.push(request.maxOutputTokens)
    const outputTokens = Math.min(6_000, request.maxOutputTokens ?? 6_000)
    served.tokens += outputTokens
    if (hangs()) return never
    return { text: 'well', usage: { inputTokens: 700, outputTokens, estimated: false } }
  })
  const models = async () => [{ ...(await provider.models())[0], id: 'scripted', maxOutput, price }]
  const plugin = definePlugin('model', ({ providers }) => providers.add('scripted', { ...provider, models } as never))()
  return { served, plugin }
}

test('a model call that a crash cut off counts with all that it may have taken, over any number of lives', async () => {
  const store = createMemoryStore()
  let lives = 0
  const { served, plugin } = counting(8_000, () => lives < 3)
  const act = acting(async (run) => {
    await run.model({
      key: 'm1',
      agentId: 'agent-1',
      model: '',
      messages: [textMessage('user', 'word '.repeat(700))],
      stream: false,
    })
    return 'done'
  })
  let id = ''
  for (lives = 1; lives < 3; lives++) {
    const life = await live(store, [act, plugin])
    if (id === '') id = (await life.runtime.runs.create({ task: 'x', budget: { maxTokens: 20_000 } })).id
    await until(() => served.calls === lives)
    await written(store, id, 'm1', 'begun')
    await until(async () => count(await store.events.list(id), 'model.started') === lives)
    await life.die(id)
  }
  const last = await live(store, [act, plugin])
  await ended(last.runtime, id)
  const run = await last.runtime.runs.get(id)
  assert.is(run.status, 'completed')
  assert.ok(served.tokens <= 20_000, `${served.tokens} tokens of 20000: ${served.limits.join()}`)
  const events = await store.events.list(id)
  const view = new RunView(events)
  assert.equal(run.usage, view.usage)
  assert.ok(view.usage.inputTokens >= 3 * 600, `${view.usage.inputTokens} tokens of input`)
  assert.ok(view.usage.outputTokens > 2 * 4_000, `${view.usage.outputTokens} tokens of output`)
  assert.ok((run.costUsd ?? 0) > 0.08, `${run.costUsd}`)
  assert.is(count(events, 'model.retrying'), 2)
  assert.is(view.usage.modelCalls, 1)
})

test('an embedding that a crash cut off, and one that failed, count towards the limits in every life', async () => {
  const store = createMemoryStore()
  let made = 0
  const vectors = definePlugin('vectors', ({ providers }) =>
    providers.add('vectors', {
      ...scriptedProvider('vectors', () => 'x'),
      embed: async (texts) => {
        made++
        if (texts[0]?.startsWith('slow')) throw new ProviderError('provider_timeout', 'slow', { provider: 'vectors' })
        if (made <= 4) return never
        return { vectors: [[made]], usage: { inputTokens: 700, outputTokens: 0, estimated: false } }
      },
    }),
  )()
  const spent: number[] = []
  const act = acting(async (run) => {
    const vectorsOf = (key: string, word: string): Promise<number[][]> =>
      run.embed({ key, agentId: 'agent-1', model: 'vectors', texts: [`${word} `.repeat(700)] })
    const failed = await vectorsOf('e1', 'slow').catch(({ code }) => code)
    const [[answer = 0] = []] = await vectorsOf('e2', 'word')
    spent.push(run.budget.spent().inputTokens, 10_000 - run.budget.remaining())
    return `${failed} ${answer}`
  })
  let id = ''
  for (const lives of [1, 2, 3]) {
    const life = await live(store, [act, vectors, model()])
    if (id === '') id = (await life.runtime.runs.create({ task: 'x', budget: { maxTokens: 10_000 } })).id
    await until(() => made === lives + 1)
    await written(store, id, 'e2', 'begun')
    await life.die(id)
  }
  const last = await live(store, [act, vectors, model()])
  await ended(last.runtime, id)
  assert.is(await summaryOf(last.runtime, id), 'provider_timeout 5')
  const { usage } = await last.runtime.runs.get(id)
  assert.ok(usage.inputTokens > 4 * 600, `${usage.inputTokens} tokens for four calls that did not fail`)
  const [ofRun = 0, ofBudget = 0] = spent
  assert.ok(ofRun > usage.inputTokens + 500, `${ofRun} tokens with the one that failed`)
  assert.ok(ofBudget >= ofRun, `${ofBudget} of the hard budget`)
  assert.equal(usage, new RunView(await store.events.list(id)).usage)
})

test('what failed calls and failed models took counts towards the budget in every life', async () => {
  const store = createMemoryStore()
  const slow = new ProviderError('provider_timeout', 'too slow', { provider: 'scripted', retryable: false })
  const failing = scriptedProvider('scripted', () => ({ error: slow }))
  const other = scriptedProvider('other', ({ messages }) =>
    JSON.stringify(messages).includes('again') ? { error: slow } : 'well',
  )
  const models = definePlugin('models', ({ providers }) => {
    for (const provider of [failing, other]) providers.add(provider.id, provider)
  })()
  const spent: number[] = []
  const act = acting(async (run) => {
    await ask(run, 'm1', 'word '.repeat(700))
    await ask(run, 'm2', 'again '.repeat(700)).catch(() => {})
    spent.push(run.budget.spent().inputTokens)
    return spent.length === 1 ? never : 'done'
  })
  const settings = { config: { fallback: ['other/scripted'] } }
  const first = await live(store, [act, models], settings)
  const { id } = await first.runtime.runs.create({ task: 'x' })
  await written(store, id, 'm2')
  await first.die(id)
  const second = await live(store, [act, models], settings)
  await ended(second.runtime, id)
  assert.is(spent[1], spent[0])
  assert.ok((spent[0] ?? 0) > 4 * 500, `${spent[0]} tokens for four calls`)
  assert.is((await second.runtime.runs.get(id)).usage.inputTokens, spent[0])
  assert.equal([failing.requests.length, other.requests.length], [2, 2])
})

test('a limit of money and one of calls hold over crashes', async () => {
  for (const budget of [{ maxCostUsd: 0.1 }, { maxSteps: 2 }]) {
    const store = createMemoryStore()
    let lives = 0
    const { served, plugin } = counting(6_000, () => true)
    const act = acting(async (run) => ask(run, 'm1'))
    let id = ''
    for (lives = 1; lives <= 4; lives++) {
      const life = await live(store, [act, plugin])
      if (id === '') id = (await life.runtime.runs.create({ task: 'x', budget })).id
      await until(async () => served.calls === lives || (await life.runtime.runs.get(id)).finishedAt !== undefined)
      if ((await life.runtime.runs.get(id)).finishedAt !== undefined) break
      await until(async () => count(await store.events.list(id), 'model.started') === lives)
      await life.die(id)
    }
    const run = await store.runs.get(id)
    assert.is(run?.status, 'incomplete', JSON.stringify(budget))
    const spentUsd = served.tokens * 1e-5
    if (budget.maxCostUsd !== undefined) assert.ok(spentUsd <= budget.maxCostUsd, `${spentUsd} dollars`)
    else assert.is(served.calls, 2)
  }
})

test('what a failed try took is not forgotten when the next one is cut off by a crash', async () => {
  const store = createMemoryStore()
  let made = 0
  const script: Script = () => {
    made++
    if (made === 1)
      return { error: new ProviderError('provider_timeout', 'too slow', { provider: 'scripted', retryAfterMs: 1 }) }
    return made === 2 ? never : 'well'
  }
  const act = acting(async (run) => ask(run, 'm1', 'word '.repeat(700)))
  const first = await live(store, [act, model(script)])
  const { id } = await first.runtime.runs.create({ task: 'x' })
  await until(() => made === 2)
  const isReserved = ({ outcome }: StepRow): boolean => (outcome as Reserve).usage.inputTokens > 2 * 600
  await until(async () => (await store.steps(id)).some((step) => step.key === 'm1' && isReserved(step)))
  await first.die(id)
  const second = await live(store, [act, model(script)])
  await ended(second.runtime, id)
  const { usage } = await second.runtime.runs.get(id)
  assert.ok(usage.inputTokens > 3 * 600, `${usage.inputTokens} tokens for three tries`)
})

test.run()
