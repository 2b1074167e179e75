/** Processes that die at each of their writes while people say something to their run: nothing is lost, doubled or moved. */
import { join } from 'node:path'
import type { ModelRequest, Plan, Plugin, RunEvent, Runtime, Store } from '@svc/core'
import { AdaptiveOrchestrator, createMemoryStore, definePlugin, ProviderError, toText } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ended, expire, model, settled, start, tool, toolbox, until } from '../../core/test/fixtures/runtimes.ts'
import { plan, tiny } from '../../core/test/fixtures/tiny-plugins.ts'
import { wrapStore } from '../../core/test/fixtures/wrapped-store.ts'
import { PostgresStore, SqliteStore } from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'

const test = suite('steering over crashes')
const isNightly = process.env.SVC_NIGHTLY === '1'
const SAMPLES = isNightly ? 300 : 15
const LOOKS = 2

const executor = (): Plugin => {
  const orchestrator = new AdaptiveOrchestrator()
  return definePlugin('executor', ({ hooks }) =>
    hooks.execute.tapPromise('executor', async (answer, input, run) => answer ?? orchestrator.execute(input.plan, run)),
  )()
}

type Shape = 'alone' | 'fan-out' | 'chain'

function planOf(shape: Shape): Plan {
  const made = plan(shape === 'alone' ? 1 : 3)
  const isChain = shape === 'chain'
  return {
    ...made,
    steps: made.steps.map((step, at) => ({
      ...step,
      tools: ['look'],
      maxTries: 2,
      dependsOn: isChain && at > 0 ? [`step-${at}`] : [],
    })),
  }
}

const toldIn = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    role === 'user' ? (toText(content).match(/while you work:\n\n(.*)/)?.[1] ?? []) : [],
  )

/** When a process dies: at the number of a write of its own, before or after it is done. */
interface Death {
  at: number
  when: 'before' | 'after'
}

/** A store that does nothing any more from a write on. */
function mortal(store: Store, death: Death | undefined) {
  let writes = 0
  let isDead = false
  const gone = new Promise<never>(() => {})
  return {
    store: wrapStore(store, async (path, args, call) => {
      // What the others go on with stays open.
      if (path === 'close') return
      await undefined
      if (isDead) return gone
      const isDeadly = path === 'commit' && ++writes === death?.at
      if (isDeadly && death?.when === 'before') isDead = true
      if (isDead) return gone
      const answer = await call(args)
      if (isDeadly) isDead = true
      return isDead ? gone : answer
    }),
    get isDead() {
      return isDead
    },
    get writes() {
      return writes
    },
  }
}

interface Attack {
  shape: Shape
  /** Of the processes, in order, but of the last one, which lives. */
  deaths: readonly Death[]
  /** Numbers of calls of the model, over all processes, during which somebody says something. */
  says: readonly number[]
  /** Numbers of calls that fail, so that the step is tried again. */
  fails?: readonly number[]
  store: Store
  /** Of the process in which somebody says it. Default the same. */
  other?: Store
}

async function attack({ shape, deaths, says, fails = [], store, other = store }: Attack) {
  const looks = (): Plugin => toolbox(tool('look', async () => 'a lamp'))
  const parts = [executor(), tiny(), looks()]
  const talker = await start([...parts, model()], { store: mortal(other, undefined).store, claims: 'none' })
  const said: string[] = []
  const requests: { agent: string; told: string[]; turn: number }[] = []
  let calls = 0
  let saying = Promise.resolve()
  let id = ''
  let lives = 0
  const begin = async (death: Death | undefined): Promise<[Runtime, ReturnType<typeof mortal>]> => {
    const handle = mortal(store, death)
    lives++
    const script: Parameters<typeof model>[0] = async (request) => {
      const call = calls++
      const part = request.messages.map(({ content }) => toText(content).match(/part \d/)?.[0]).find(Boolean) ?? ''
      const agent = request.tools === undefined ? 'the one that puts it together' : part
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      requests.push({ agent, told: toldIn(request), turn })
      for (const at of says)
        if (at === call) {
          // One after the other: the order in which they are said is that in which they are kept.
          saying = saying.then(async () => {
            const text = `message ${said.length + 1}`
            said.push(text)
            await talker.runs.steer(id, { text })
          })
          await saying
          await settled()
        }
      if (fails.includes(call))
        throw new ProviderError('provider_unavailable', 'it is broken', { provider: 'scripted' })
      return turn < LOOKS && request.tools !== undefined
        ? { toolCalls: [{ tool: 'look', args: { turn } }] }
        : `done: ${toldIn(request).join()}`
    }
    return [await start([executor(), tiny(), looks(), model(script)], { store: handle.store }), handle]
  }
  const created = await talker.runs.create({ task: 'find one', plan: planOf(shape) })
  id = created.id
  for (const death of [...deaths, undefined]) {
    const [runtime, handle] = await begin(death)
    await until(
      async () =>
        handle.isDead || ['completed', 'failed', 'incomplete', 'waiting'].includes((await talker.runs.get(id)).status),
    )
    const { status } = await talker.runs.get(id)
    if (status === 'waiting' || ['completed', 'failed', 'incomplete'].includes(status)) {
      if (!handle.isDead) await runtime.close()
      break
    }
    await expire(store, id)
  }
  const run = await talker.runs.get(id)
  const events: RunEvent[] = []
  for await (const event of talker.runs.events(id)) events.push(event)
  const replay = run.status === 'completed' ? await talker.runs.replay(id) : undefined
  await talker.close()
  return { run, events, said, requests, replay, lives }
}

/** Forks a run after an event. @returns what the fork's agents have read, and whether it can be gone over again */
async function forkAt(store: Store, id: string, atSeq: number): Promise<{ read: string[]; isSame: boolean }> {
  const looks = toolbox(tool('look', async () => 'a lamp'))
  const script: Parameters<typeof model>[0] = (request) =>
    request.messages.filter(({ role }) => role === 'assistant').length < LOOKS && request.tools !== undefined
      ? { toolCalls: [{ tool: 'look', args: {} }] }
      : 'done'
  const runtime = await start([executor(), tiny(), looks, model(script)], { store: mortal(store, undefined).store })
  try {
    const fork = await runtime.runs.fork(id, { atSeq })
    await ended(runtime, fork.id)
    const { status, messages = [], unread } = await runtime.runs.get(fork.id)
    assert.equal([status, unread], ['completed', undefined])
    const { identical } = await runtime.runs.replay(fork.id)
    return { read: messages.map(({ text }) => text), isSame: identical }
  } finally {
    await runtime.close()
  }
}

function judge({ run, events, said, requests, replay }: Awaited<ReturnType<typeof attack>>, death = ''): void {
  assert.is(run.status, 'completed', `${death} ${JSON.stringify(run.waiting ?? run.error ?? run.result)}`)
  const read = (run.messages ?? []).map(({ text }) => text)
  const unread = (run.unread ?? []).map(({ text }) => text)
  // Each is read, or was not: never both, never neither, and in the order in which it was said.
  assert.equal([...read, ...unread], said, death)
  for (const { told } of requests) assert.equal(told, said.slice(0, told.length))
  // An agent reads each once.
  const seen = new Set<string>()
  for (const event of events)
    if (event.type === 'agent.steered')
      for (const { id } of event.data.messages) {
        const mark = `${event.agentId} ${event.stepId} ${id}`
        assert.not.ok(seen.has(mark), `${mark} twice`)
        seen.add(mark)
      }
  // Later calls of an agent have what earlier ones had.
  const known = new Map<string, number>()
  for (const { agent, told, turn } of requests.toSorted((a, b) => a.turn - b.turn)) {
    assert.ok(told.length >= (known.get(`${agent} ${turn - 1}`) ?? 0), `${agent}, turn ${turn}`)
    known.set(`${agent} ${turn}`, Math.max(told.length, known.get(`${agent} ${turn}`) ?? 0))
  }
  assert.ok(replay?.identical, `${death} ${JSON.stringify(replay)}`)
  // What came after the last look at what was said is not known in the result.
  if (/message_unread/.test(JSON.stringify(run.result))) assert.ok(unread.length > 0)
}

const addAttacks = (name: string, newStore: () => Promise<Store>): void => {
  for (const shape of ['alone', 'fan-out', 'chain'] as const)
    test(`${name}: whichever write a process dies at, a run ${shape} has every message once, in its place`, async () => {
      const whole = { shape, deaths: [], says: [0, 2, 3], store: await newStore() }
      judge(await attack(whole))
      await whole.store.close()
      for (let at = 1, hasDied = true; hasDied; at++)
        for (const when of ['before', 'after'] as const) {
          const store = await newStore()
          const out = await attack({ ...whole, deaths: [{ at, when }], store })
          judge(out, `${when} write ${at}`)
          await store.close()
          hasDied = out.lives > 1
        }
    })
}

const attacks: fc.Arbitrary<Omit<Attack, 'store'>> = fc.record({
  shape: fc.constantFrom<Shape>('alone', 'fan-out', 'chain'),
  deaths: fc.array(fc.record({ at: fc.integer({ min: 1, max: 30 }), when: fc.constantFrom('before', 'after') }), {
    maxLength: 3,
  }),
  says: fc.array(fc.nat(12), { maxLength: 5 }),
  fails: fc.array(fc.nat(12), { maxLength: 1 }),
})

/** A team in whose replay, and in that of its fork, an agent is ahead of the one that has read a message before it. */
const LATE: [Omit<Attack, 'store'>, number] = [
  { shape: 'fan-out', deaths: [{ at: 24, when: 'before' }], says: [6, 6, 5, 1, 1], fails: [] },
  63,
]

/** @param open a second handle on a store */
const addProperty = (
  name: string,
  newStore: () => Promise<Store>,
  samples: number,
  open: () => Promise<Store | undefined> = async () => undefined,
): void =>
  test(`${name}: through any deaths and failures every message is read once and in its place, also by forks`, () =>
    fc.assert(
      fc.asyncProperty(attacks, fc.nat(99), async (asked, percent) => {
        const store = await newStore()
        const other = await open()
        try {
          await tryOne({ ...asked, store, ...(other && { other }) }, percent)
        } finally {
          await other?.close()
          await store.close()
        }
      }),
      { numRuns: samples, endOnFailure: true, examples: [LATE] },
    ))

async function tryOne(asked: Attack, percent: number): Promise<void> {
  const out = await attack(asked)
  judge(out)
  const { run, events } = out
  const atSeq = 1 + Math.floor((percent / 100) * (events.length - 5))
  const readBy = (seq: number): number =>
    new Set(
      events
        .slice(0, seq)
        .flatMap((event) => (event.type === 'agent.steered' ? event.data.messages : []).map(({ id }) => id)),
    ).size
  const { read, isSame } = await forkAt(asked.store, run.id, atSeq)
  // What is read at an event is recorded right before it, and those of other agents may come between.
  assert.equal(read, out.said.slice(0, read.length))
  assert.ok(read.length >= readBy(atSeq) && read.length <= readBy(atSeq + 3), `${read} of the fork after ${atSeq}`)
  assert.ok(isSame)
}

addAttacks('memory', async () => createMemoryStore())
addProperty('memory', async () => createMemoryStore(), SAMPLES)
const root = folderOf()
let files = 0
const openFile = async (): Promise<Store> => {
  const store = new SqliteStore({ file: join(root, `${files}.db`) })
  await store.open()
  return store
}
const newFile = (): Promise<Store> => {
  files++
  return openFile()
}
addAttacks('SQLite', newFile)
addProperty('SQLite, said to another process', newFile, SAMPLES, openFile)
if (missing === undefined) {
  let server: Postgres
  test.before(async () => {
    server = await startPostgres()
  })
  let url = ''
  const openDatabase = async (): Promise<Store> => {
    const store = new PostgresStore({ url })
    await store.open()
    return store
  }
  const newDatabase = (): Promise<Store> => {
    url = server.newDatabase()
    return openDatabase()
  }
  addProperty('PostgreSQL, said to another process', newDatabase, isNightly ? 100 : 5, openDatabase)
  test.after(() => server.close())
}

test.run()
