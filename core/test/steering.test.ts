/** What people say to a run at work: each agent reads it once, before the same call of its model in every life of the run. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelRequest, Plan, Plugin, Runtime, Store } from '../src/index.ts'
import { AdaptiveOrchestrator, createMemoryStore, definePlugin, toText } from '../src/index.ts'
import type { Script } from '../src/testing/index.ts'
import { faultyStore } from './fixtures/faulty-store.ts'
import { codeOf, ended, expire, model, settled, start, summaryOf, tool, toolbox, until } from './fixtures/runtimes.ts'
import { plan, tiny } from './fixtures/tiny-plugins.ts'

const test = suite('steering')

const executor = (): Plugin => {
  const orchestrator = new AdaptiveOrchestrator()
  return definePlugin('executor', ({ hooks }) =>
    hooks.execute.tapPromise('executor', async (answer, input, run) => answer ?? orchestrator.execute(input.plan, run)),
  )()
}

const look = { toolCalls: [{ tool: 'look', args: {} }] }
const looks = (): Plugin => toolbox(tool('look', async () => 'a lamp'))

/** A plan whose steps may look, each the agent of its own; one after the other where `isChain`. */
function planOf(steps = 1, isChain = false): Plan {
  const made = plan(steps)
  return {
    ...made,
    steps: made.steps.map((step, at) => ({
      ...step,
      tools: ['look'],
      dependsOn: isChain && at > 0 ? [`step-${at}`] : [],
    })),
  }
}

/** What people said, in the order in which the model got it. */
const toldIn = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' ? (toText(content).match(/while you work:\n\n(.*)/)?.[1] ?? []) : [],
  )

/** A place at which a script stops until it is opened. */
function gate() {
  let open = (): void => {}
  let isReached = false
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    open: () => open(),
    reached: () => until(() => isReached),
    pass: () => {
      isReached = true
      return opened
    },
  }
}

const begin = (script: Script, store: Store = createMemoryStore()): Promise<Runtime> =>
  start([executor(), tiny(), looks(), model(script)], { store })

/** Until an agent has read so many messages. */
const isRead = (runtime: Runtime, id: string, count: number): Promise<void> =>
  until(async () => ((await runtime.runs.get(id)).messages ?? []).length === count)

test('a message is read before the next call of the model, and stands in the conversation from then on', async () => {
  const first = gate()
  const told: string[][] = []
  const runtime = await begin(async (request, call) => {
    told.push(toldIn(request))
    if (call === 0) await first.pass()
    return call < 2 ? look : 'a lamp, in blue'
  })
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf() })
  await first.reached()
  const message = await runtime.runs.steer(id, { text: 'In blue, please.' })
  assert.equal((await runtime.runs.get(id)).unread, [message])
  assert.is((await runtime.runs.list()).data[0]?.unread, undefined)
  first.open()
  await ended(runtime, id)
  assert.equal(told, [[], ['In blue, please.'], ['In blue, please.']])
  const run = await runtime.runs.get(id)
  assert.equal([run.status, run.messages, run.unread], ['completed', [message], undefined])
  const events = []
  for await (const event of runtime.runs.events(id)) if (event.type === 'agent.steered') events.push(event)
  assert.equal(
    events.map(({ agentId, stepId, data }) => ({ agentId, stepId, data })),
    [{ agentId: 'agent-1', stepId: 'step-1', data: { messages: [message] } }],
  )
  assert.ok((await runtime.runs.replay(id)).identical)
  await runtime.close()
})

test('a run that is queued takes messages, which its list leaves out', async () => {
  const runtime = await start([executor(), tiny(), looks(), model(() => 'a lamp')], { claims: 'none' })
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf() })
  const message = await runtime.runs.steer(id, { text: 'In blue, please.' })
  const { status, unread } = await runtime.runs.get(id)
  assert.equal([status, unread], ['queued', [message]])
  assert.is((await runtime.runs.list()).data[0]?.unread, undefined)
  await runtime.close()
})

test('an agent that has just answered answers again', async () => {
  const first = gate()
  const runtime = await begin(async (request) => {
    if (toldIn(request).length > 0) return 'a lamp, in blue'
    await first.pass()
    return 'a lamp'
  })
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf() })
  await first.reached()
  await runtime.runs.steer(id, { text: 'In blue, please.' })
  first.open()
  await ended(runtime, id)
  assert.is(await summaryOf(runtime, id), 'a lamp, in blue')
  assert.ok((await runtime.runs.replay(id)).identical)
  await runtime.close()
})

test('each agent of a run reads it once, also those that begin later', async () => {
  for (const isChain of [false, true]) {
    const first = gate()
    const told = new Map<string, string[][]>()
    const runtime = await begin(async (request) => {
      const part = request.messages.map(({ content }) => toText(content).match(/part \d/)?.[0]).find(Boolean) ?? ''
      const seen = [...(told.get(part) ?? []), toldIn(request)]
      told.set(part, seen)
      if (seen.length === 1) await first.pass()
      return seen.length < 3 ? look : 'done'
    })
    const { id } = await runtime.runs.create({ task: 'find some', plan: planOf(3, isChain) })
    await first.reached()
    await runtime.runs.steer(id, { text: 'In blue.' })
    await runtime.runs.steer(id, { text: 'And cheap.' })
    first.open()
    await ended(runtime, id)
    for (const [part, seen] of told) assert.equal(seen.at(-1), ['In blue.', 'And cheap.'], `${part} of ${isChain}`)
    assert.is((await runtime.runs.get(id)).messages?.length, 2)
    assert.ok((await runtime.runs.replay(id)).identical)
    await runtime.close()
  }
})

test('after a crash a message is where it was, and one that nobody had read is not lost', async () => {
  const store = createMemoryStore()
  const { store: mortal, faults } = faultyStore(store)
  const gates = [gate(), gate(), gate()]
  const script =
    (told: string[][]): Script =>
    async (request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      told[turn] = toldIn(request)
      await gates[turn]?.pass()
      return turn < 3 ? look : 'done'
    }
  const first = await begin(script([]), mortal)
  const { id } = await first.runs.create({ task: 'find one', plan: planOf() })
  await gates[0]?.reached()
  await first.runs.steer(id, { text: 'one' })
  gates[0]?.open()
  await gates[1]?.reached()
  await first.runs.steer(id, { text: 'two' })
  gates[1]?.open()
  await gates[2]?.reached()
  await isRead(first, id, 2)
  faults.die()
  await expire(store, id)
  gates[2]?.open()
  const told: string[][] = []
  const idle = await start([tiny(), model()], { store, claims: 'none' })
  await idle.runs.steer(id, { text: 'three' })
  const third = await begin(script(told), store)
  await ended(third, id)
  assert.equal(told.slice(2), [
    ['one', 'two'],
    ['one', 'two', 'three'],
  ])
  const { messages, unread } = await third.runs.get(id)
  assert.equal([messages?.map(({ text }) => text), unread], [['one', 'two', 'three'], undefined])
  assert.ok((await third.runs.replay(id)).identical)
  await idle.close()
  await third.close()
})

test('what comes after the last answer is not read, and that is said', async () => {
  const late = gate()
  const runtime = await start(
    [
      executor(),
      tiny(),
      looks(),
      model(() => 'a lamp'),
      definePlugin('slow', ({ hooks }) =>
        hooks.inspect.tapPromise('slow', async (answer, _input, run) => {
          run.warn({ code: 'log_long', message: 'it takes its time' })
          await late.pass()
          return answer
        }),
      )(),
    ],
    {},
  )
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf() })
  await late.reached()
  const message = await runtime.runs.steer(id, { text: 'In blue, please.' })
  await settled()
  late.open()
  await ended(runtime, id)
  const { unread, result } = await runtime.runs.get(id)
  assert.equal(unread, [message])
  assert.match(JSON.stringify(result), /message_unread/)
  // Nobody says it again in a replay, whose other warnings are compared.
  assert.equal(await runtime.runs.replay(id), { identical: true })
  await runtime.close()
})

test('a run that reads nothing any more, and a text that is none, are refused', async () => {
  const runtime = await begin(() => 'a lamp')
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf() })
  await ended(runtime, id)
  assert.is(await codeOf(runtime.runs.steer(id, { text: 'more' })), 'invalid_transition')
  assert.is(await codeOf(runtime.runs.steer(id, { text: '' })), 'validation_failed')
  assert.is(await codeOf(runtime.runs.steer('run_none', { text: 'more' })), 'run_not_found')
  await runtime.close()
})

test('a later turn of the conversation gets what was said in between', async () => {
  const first = gate()
  let last = ''
  const runtime = await begin(async ({ messages }, call) => {
    last = JSON.stringify(messages)
    if (call === 0) await first.pass()
    return 'a lamp, in blue'
  })
  const { id: threadId } = await runtime.threads.create()
  const { id } = await runtime.runs.create({ task: 'find one', plan: planOf(), threadId })
  await first.reached()
  await runtime.runs.steer(id, { text: 'In blue, please.' })
  first.open()
  await ended(runtime, id)
  const next = await runtime.runs.create({ task: 'and another', plan: planOf(), threadId })
  await ended(runtime, next.id)
  assert.match(last, /find one\\n\\nIn blue, please\./)
  await runtime.close()
})

test.run()
