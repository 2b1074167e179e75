import { join } from 'node:path'
import {
  type Commit,
  createMemoryStore,
  definePlugin,
  type ExecutionResult,
  type Lesson,
  type ModelRequest,
  type Plugin,
  ProviderError,
  type Reflection,
  type RunContext,
  type RunCreate,
  type RunEvent,
  type Store,
  toText,
} from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createRuntime,
  type Learning,
  PostgresStore,
  SqliteStore,
  StoredLessons,
  StoredOutcomes,
} from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { until } from './fixtures/until.ts'

const test = suite('learning from runs')

const TASK = 'Draft a plan for the garden, then review it, then write a letter about it'
/** Answered with more than five words it fails by rule, and what is learnt from that fits it. */
const SUM = 'Some arithmetic: what is 17*23?'
const LIMITED = 'Name three rivers of Europe: there is a limit, at most 5 words'

interface Options {
  /** Absent: nothing outlives the runtime. */
  dir?: string
  script?: Script
  plugins?: Plugin[]
  deterministic?: boolean
  persistSessions?: boolean
}

async function open({ dir, script = () => 'Done.', plugins = [], ...rest }: Options) {
  const provider = scriptedProvider('scripted', script, { deterministic: rest.deterministic ?? false })
  const host = definePlugin('host', ({ providers }) => {
    providers.add('scripted', { ...provider, maxRetries: 0 })
  })()
  const { persistSessions } = rest
  const runtime = await createRuntime(
    {
      model: 'scripted/scripted',
      ...(persistSessions === undefined ? {} : { persistSessions }),
    },
    { plugins: [host, ...plugins], env: {}, persist: dir === undefined ? false : { dir } },
  )
  return {
    runtime,
    requests: provider.requests,
    async run(create: RunCreate) {
      const events: RunEvent[] = []
      const off = runtime.onEvent((event) => events.push(event))
      const { id } = await runtime.runs.create(create)
      await runtime.runs.wait(id)
      off()
      const result = (await runtime.runs.result(id)) as ExecutionResult
      return { id, result, events }
    },
    analyze: (description: string) => runtime.analyze({ id: 'task-1', description }),
  }
}

/** What a folder's runs have left; the test's own folder is the project of all of them. */
async function leftIn<T>(dir: string, read: (left: Learning) => Promise<T>, space = process.cwd()): Promise<T> {
  const store = new SqliteStore({ file: join(dir, 'svc.db') })
  store.open()
  try {
    return await read({ lessons: new StoredLessons(store, space), outcomes: new StoredOutcomes(store, space) })
  } finally {
    await store.close()
  }
}

const outcomesIn = (dir: string) => leftIn(dir, (store) => store.outcomes.list())
const lessonsIn = (dir: string) => leftIn(dir, (store) => store.lessons.list())

/** A reflection with a given answer. */
const verdicts = (verdict: () => Reflection['verdict'], lessons: Lesson[] = []): Plugin =>
  definePlugin('verdicts', ({ hooks }) => {
    hooks.reflect.tap('verdicts', () => ({
      verdict: verdict(),
      score: verdict() === 'pass' ? 0.9 : 0.2,
      confidence: 0.9,
      checks: [{ id: 'own', result: verdict() === 'pass' ? 'pass' : 'fail', critical: true, by: 'rule' }],
      lessons,
      usage: { inputTokens: 0, outputTokens: 0, estimated: false },
    }))
  })()

const lesson = (fields: Partial<Lesson> = {}): Lesson => ({
  trigger: 'a task with a limit on length',
  advice: 'Count aloud.',
  evidence: ['run_0:1'],
  successes: 0,
  failures: 0,
  ...fields,
})

const textOf = (requests: readonly ModelRequest[]): string =>
  requests.flatMap(({ messages }) => messages.map(({ content }) => toText(content))).join('\n')

test('runs of one agent that failed lead the next process to another recommendation', async () => {
  const dir = folderOf()
  const first = await open({ dir, plugins: [verdicts(() => 'fail')] })
  const before = await first.analyze(TASK)
  assert.is(before.recommendedTopology, 'SINGLE')
  assert.is(before.source, 'lexical')
  for (let index = 0; index < 10; index++) await first.run({ task: TASK, topology: 'SINGLE' })
  await first.runtime.close()

  const outcomes = await outcomesIn(dir)
  assert.is(outcomes.length, 10)
  assert.ok(outcomes.every(({ success, topology, tokens }) => !success && topology === 'SINGLE' && (tokens ?? 0) > 0))
  assert.equal(outcomes[0]?.features, before.features)
  assert.is(outcomes[0]?.quality, undefined)

  const second = await open({ dir })
  const after = await second.analyze(TASK)
  assert.is(after.source, 'calibrated')
  assert.is.not(after.recommendedTopology, 'SINGLE')
  assert.ok((after.utilities.SINGLE ?? 1) < (before.utilities.SINGLE ?? 0))
  await second.runtime.close()
})

test('a run that succeeded is recorded with its score, and the next run of the runtime knows it', async () => {
  const session = await open({ plugins: [verdicts(() => 'pass')] })
  assert.is((await session.analyze(TASK)).source, 'lexical')
  await session.run({ task: TASK })
  assert.is((await session.analyze(TASK)).source, 'calibrated')
  await session.runtime.close()

  const dir = folderOf()
  const stored = await open({ dir, plugins: [verdicts(() => 'pass')] })
  await stored.run({ task: TASK })
  await stored.runtime.close()
  const [outcome] = await outcomesIn(dir)
  assert.is(outcome?.success, true)
  assert.is(outcome?.quality, 0.9)
})

for (const [what, script, end] of [
  [
    'a provider that is down',
    () => ({ error: new ProviderError('provider_unavailable', 'gone', { provider: 'scripted' }) }),
    'failed 0',
  ],
  [
    'a run whose writing was denied',
    ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Danube, Rhine, Volga'
        : { toolCalls: [{ tool: 'write_file', args: { path: 'rivers.txt', content: 'Danube' } }] },
    'incomplete 1',
  ],
] satisfies [string, Script, string][]) {
  test(`${what} says nothing about a topology, nor about a lesson`, async () => {
    const dir = folderOf()
    await leftIn(dir, (store) => store.lessons.add(lesson()))
    const session = await open({ dir, script, plugins: [verdicts(() => 'pass')] })
    const { result } = await session.run({ task: LIMITED, topology: 'SINGLE' })
    assert.is(`${result.status} ${result.toolCalls.denied}`, end)
    await session.runtime.close()
    assert.equal(await outcomesIn(dir), [])
    const [kept] = await lessonsIn(dir)
    assert.equal([kept?.successes, kept?.failures], [0, 0])
  })
}

test('a lesson that one run learnt is recalled by the next, and trusted by how that ends', async () => {
  const dir = folderOf()
  const first = await open({ dir, script: () => '17*23 = 392' })
  const failed = await first.run({ task: SUM, topology: 'SINGLE' })
  assert.is(failed.result.reflection?.verdict, 'fail')
  assert.not.match(textOf(first.requests.slice(0, 1)), 'Let the calculator work it out')
  // One home: what was learnt is not among the memories as well.
  const memories = (await first.runtime.memory.list()).data
  assert.equal(
    memories.map(({ kind }) => kind),
    ['summary'],
  )
  await first.runtime.close()
  const [learnt] = (await lessonsIn(dir)).filter(({ advice }) => advice.startsWith('Let the calculator work it out'))
  assert.equal([learnt?.successes, learnt?.failures], [0, 0])
  assert.ok(learnt?.evidence[0]?.startsWith(`${failed.id}:`))

  const second = await open({ dir, script: () => '17*23 = 391' })
  const passed = await second.run({ task: SUM, topology: 'SINGLE' })
  assert.is(passed.result.status, 'completed')
  assert.match(textOf(second.requests.slice(0, 1)), /<memory>[\s\S]*Let the calculator work it out[\s\S]*<\/memory>/)
  const ids = passed.events.flatMap((event) => (event.type === 'memory.recalled' ? event.data.ids : []))
  assert.ok(ids.some((id) => id.startsWith('lesson_')))
  await second.runtime.close()
  const [risen] = (await lessonsIn(dir)).filter(({ advice }) => advice.startsWith('Let the calculator work it out'))
  assert.equal([risen?.successes, risen?.failures], [1, 0])

  const third = await open({ dir, script: () => '17*23 = 392' })
  await third.run({ task: SUM, topology: 'SINGLE' })
  await third.runtime.close()
  const [fallen] = (await lessonsIn(dir)).filter(({ advice }) => advice.startsWith('Let the calculator work it out'))
  assert.equal([fallen?.successes, fallen?.failures], [1, 1])
})

test('a lesson that does not help any more is given up, also when it is learnt again', async () => {
  const dir = folderOf()
  await leftIn(dir, (store) => store.lessons.add(lesson({ successes: 1, failures: 1 })))
  await leftIn(dir, (store) => store.lessons.add(lesson({ advice: 'Retired.', successes: 1, failures: 5 })))
  const session = await open({ dir, plugins: [verdicts(() => 'fail', [lesson()])] })
  await session.run({ task: LIMITED, topology: 'SINGLE' })
  assert.match(textOf(session.requests), 'Count aloud.')
  assert.not.match(textOf(session.requests), 'Retired.')
  const before = session.requests.length
  await session.run({ task: LIMITED, topology: 'SINGLE' })
  assert.not.match(textOf(session.requests.slice(before)), 'Count aloud.')
  await session.runtime.close()
  const kept = (await lessonsIn(dir)).find(({ advice }) => advice === 'Count aloud.')
  assert.equal([kept?.successes, kept?.failures], [1, 2])
})

test('without sessions no lesson is recalled or learnt', async () => {
  const dir = folderOf()
  await leftIn(dir, (store) => store.lessons.add(lesson()))
  const other = lesson({ advice: 'Something else.' })
  const session = await open({ dir, persistSessions: false, plugins: [verdicts(() => 'pass', [other])] })
  await session.run({ task: LIMITED })
  assert.not.match(textOf(session.requests), 'Count aloud.')
  await session.runtime.close()
  assert.equal(await lessonsIn(dir), [lesson()])
})

test('a deterministic model neither teaches nor learns', async () => {
  const dir = folderOf()
  await leftIn(dir, async (store) => {
    await store.lessons.add(lesson())
    for (let index = 0; index < 10; index++)
      await store.outcomes.add({ features: {}, topology: 'SINGLE', success: false }, `run_${index}`)
  })
  const other = lesson({ advice: 'Something else.' })
  const session = await open({ dir, deterministic: true, plugins: [verdicts(() => 'pass', [other])] })
  await session.run({ task: LIMITED })
  assert.is((await session.analyze(TASK)).source, 'lexical')
  assert.not.match(textOf(session.requests), 'Count aloud.')
  await session.runtime.close()
  assert.equal(await lessonsIn(dir), [lesson()])
  assert.is((await outcomesIn(dir)).length, 10)
})

/** A store whose lessons and memories are read as the test says. */
function readAs(store: Store, read: (kind: string) => Promise<void> | void, onCommit: (commit: Commit) => void): Store {
  const bind = <T extends object>(target: T, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return async (...[lease, commit]: Parameters<Store['commit']>) => {
          await target.commit(lease, commit)
          onCommit(commit)
        }
      if (name !== 'records') return bind(target, name)
      return (kind: string, space: string) =>
        new Proxy(target.records(kind, space), {
          get: (records, own) =>
            own !== 'version'
              ? bind(records, own)
              : async () => {
                  await read(kind)
                  return records.version()
                },
        })
    },
  })
}

async function openIn(store: Store, onReflect: (run: RunContext) => void) {
  await new StoredLessons(store, process.cwd()).add(lesson({ successes: 1 }))
  const reflected = definePlugin('reflected', ({ hooks }) => {
    hooks.reflect.tap({ name: 'reflected', stage: 100 }, (answer, _input, run) => {
      onReflect(run)
      return answer
    })
  })()
  const host = definePlugin('host', ({ providers }) => {
    providers.add(
      'scripted',
      scriptedProvider('scripted', () => 'Rhine, Rhone, Danube.', { deterministic: false }),
    )
  })()
  const plugins = [host, verdicts(() => 'pass'), reflected]
  return createRuntime({ model: 'scripted/scripted' }, { store, plugins, env: {} })
}

test('what a run says of lessons leaves with the record that says so, however long its memory takes', async () => {
  const commits: Commit[] = []
  let isReflected = false
  let learntAt: number | undefined
  const read = async (kind: string): Promise<void> => {
    if (kind === 'lesson' && isReflected) learntAt ??= commits.length
    const from = learntAt
    // So long that what lingers is written meanwhile.
    if (kind === 'memory' && from !== undefined) await until(() => commits.length > from)
  }
  const store = readAs(createMemoryStore(), read, (commit) => commits.push(commit))
  const runtime = await openIn(store, () => {
    isReflected = true
  })
  const { id } = await runtime.runs.create({ task: LIMITED, topology: 'SINGLE' })
  await runtime.runs.wait(id)
  await runtime.close()
  const taught = commits.filter(({ records = [] }) => records.some(({ kind }) => kind === 'lesson'))
  assert.equal(
    taught.map(({ steps = [] }) => steps.some(({ key }) => key === 'record/lessons/learnt')),
    [true],
  )
})

test('a replay warns as the run did that could not keep what it learnt', async () => {
  let isAway = false
  const read = (): void => {
    if (isAway) throw new Error('it cannot be read')
  }
  const store = createMemoryStore()
  const lessonsAway = readAs(
    store,
    (kind) => (kind === 'lesson' ? read() : undefined),
    () => {},
  )
  const runtime = await openIn(lessonsAway, (run) => {
    isAway = true
    run.warn({ code: 'tool_unavailable', message: 'the search is away' })
  })
  const { id } = await runtime.runs.create({ task: LIMITED, topology: 'SINGLE' })
  await runtime.runs.wait(id)
  const { warnings } = (await runtime.runs.result(id)) as ExecutionResult
  assert.equal(
    warnings.map(({ code }) => code),
    ['tool_unavailable', 'memory_unavailable'],
  )
  assert.equal(await runtime.runs.replay(id), { identical: true })
  await runtime.close()
})

test('a replay comes to the same whatever was learnt since, and teaches nothing', async () => {
  const dir = folderOf()
  await leftIn(dir, (store) => store.lessons.add(lesson({ successes: 4 })))
  let verdict: Reflection['verdict'] = 'pass'
  const session = await open({ dir, plugins: [verdicts(() => verdict, [lesson({ advice: 'Something else.' })])] })
  const { id } = await session.run({ task: LIMITED })
  const single = await session.run({ task: TASK })
  verdict = 'fail'
  for (let index = 0; index < 9; index++) await session.run({ task: TASK, topology: 'SINGLE' })
  assert.is.not((await session.analyze(TASK)).recommendedTopology, 'SINGLE')
  verdict = 'pass'
  const before = [await outcomesIn(dir), await lessonsIn(dir), (await session.runtime.memory.list()).data.length]
  assert.equal(await session.runtime.runs.replay(id), { identical: true })
  assert.equal(await session.runtime.runs.replay(single.id), { identical: true })
  const after = [await outcomesIn(dir), await lessonsIn(dir), (await session.runtime.memory.list()).data.length]
  assert.equal(after, before)
  assert.is((after[0] as unknown[]).length, 11)
  await session.runtime.close()
})

const stores: [string, (dir: string) => Store | undefined][] = [
  ['SQLite', (dir) => new SqliteStore({ file: join(dir, 'svc.db'), space: process.cwd() })],
  ['PostgreSQL', () => server && new PostgresStore({ url: server.newDatabase() })],
  ['memory', () => createMemoryStore()],
]
let server: Postgres | undefined
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after(() => server?.close())

for (const [name, make] of stores) {
  const withStore = name === 'PostgreSQL' && missing !== undefined ? test.skip : test
  withStore(`${name}: what a run remembers and learns is written with its end, once, or not at all`, async () => {
    const store = make(folderOf())
    assert.ok(store)
    await store.open()
    const { commit, close } = store
    store.close = async () => {}
    const host = definePlugin('host', ({ providers }) => {
      providers.add('scripted', { ...scriptedProvider('scripted', () => 'Done.'), maxRetries: 0 })
    })()
    const lessons = [lesson(), lesson({ advice: 'Something else.' })]
    const plugins = [host, verdicts(() => 'pass', lessons)]
    const create = () =>
      createRuntime({ model: 'scripted/scripted' }, { plugins, env: {}, store, leaseMs: 500, drainMs: 0 })
    const left = async (): Promise<string> => {
      const learning = {
        lessons: new StoredLessons(store, process.cwd()),
        memories: store.records('memory', process.cwd()),
      }
      const outcomes = await store.records('outcome', process.cwd()).all()
      const counts = (await learning.lessons.list()).map(({ successes }) => successes)
      return `${(await learning.memories.all()).data.length} ${outcomes.data.length} ${counts}`
    }
    await new StoredLessons(store, process.cwd()).add(lesson())

    const first = await create()
    // As if the process were cut off there.
    let isCut = false
    store.commit = async (lease, write) => {
      isCut ||= write.run?.finishedAt !== undefined || (write.records ?? []).length > 0
      if (isCut) throw new Error('cut off')
      return commit.call(store, lease, write)
    }
    const { id } = await first.runs.create({ task: LIMITED })
    await until(() => isCut)
    await first.close()
    assert.is(await left(), '0 0 0')
    store.commit = commit

    const second = await create()
    await until(async () => (await second.runs.get(id)).status === 'completed')
    assert.is(await left(), '1 1 1,0')
    assert.is((await second.memory.list()).data.length, 1)
    await second.close()
    await close.call(store)
  })
}

test('what another folder learnt stays there', async () => {
  const dir = folderOf()
  const learn = async ({ lessons, outcomes }: Learning): Promise<void> => {
    await lessons.add(lesson())
    await outcomes.add({ features: {}, topology: 'SINGLE', success: true }, 'run_1')
  }
  await leftIn(dir, learn, '/elsewhere')
  const session = await open({ dir })
  await session.run({ task: LIMITED })
  assert.not.match(textOf(session.requests), 'Count aloud.')
  assert.is((await session.analyze(TASK)).source, 'calibrated')
  await session.runtime.close()
  assert.is((await outcomesIn(dir)).length, 1)
})

test.run()
