/** What a run makes, counted: a figure that no other process on the machine can change. */
import { createHook } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelProvider, Plugin, Runtime, Store } from '../src/index.ts'
import { AdaptiveOrchestrator, createMemoryStore, definePlugin, startRuntime } from '../src/index.ts'
import { tiny } from './fixtures/tiny-plugins.ts'

/** Runs before the count: schemas are compiled at their third use, names of models resolved at their first. */
const WARM_UP = 5
const RUNS = 10

interface Counts {
  promises: number
  timers: number
  /** Listeners added to abort signals. */
  abortListeners: number
  signals: number
  commits: number
  /** Functions made from text: what compiling a schema ends in. */
  compilations: number
  hashes: number
  /** Values written as JSON. */
  stringified: number
  /** Maps and sets. */
  collections: number
}

const counts: Counts = {
  promises: 0,
  timers: 0,
  abortListeners: 0,
  signals: 0,
  commits: 0,
  compilations: 0,
  hashes: 0,
  stringified: 0,
  collections: 0,
}

/** Has each call of a method counted. @returns how to end that */
function watch<T extends object>(owner: T, name: keyof T & string, count: keyof Counts): () => void {
  const original = owner[name] as (...args: unknown[]) => unknown
  const counting = function (this: unknown, ...args: unknown[]): unknown {
    counts[count]++
    return new.target === undefined ? original.apply(this, args) : Reflect.construct(original, args)
  }
  counting.prototype = original.prototype // what was made before is still an instance
  Object.assign(owner, { [name]: counting })
  return () => Object.assign(owner, { [name]: original })
}

/** What one run makes on average, once everything that is made once has been made. */
async function countRuns(runtime: Runtime): Promise<Counts> {
  const run = async (): Promise<void> => {
    const { id } = await runtime.runs.create({ task: 'Say what two and two is.' }, { deltas: false })
    await runtime.runs.wait(id)
    assert.is((await runtime.runs.get(id)).status, 'completed')
  }
  for (let i = 0; i < WARM_UP; i++) await run()
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises++
      else if (type === 'Timeout') counts.timers++
    },
  })
  const stops = [
    watch(AbortSignal.prototype, 'addEventListener', 'abortListeners'),
    watch(globalThis, 'AbortController', 'signals'),
    watch(globalThis, 'Function', 'compilations'),
    watch(JSON, 'stringify', 'stringified'),
    watch(globalThis, 'Map', 'collections'),
    watch(globalThis, 'Set', 'collections'),
    watch(crypto, 'hash', 'hashes'),
    watch(crypto, 'createHash', 'hashes'),
  ]
  syncBuiltinESMExports()
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] = 0
  hook.enable()
  try {
    for (let i = 0; i < RUNS; i++) await run()
  } finally {
    hook.disable()
    for (const stop of stops) stop()
    syncBuiltinESMExports()
  }
  await runtime.close()
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / RUNS])) as unknown as Counts
}

function countingStore(): Store {
  const store = createMemoryStore()
  watch(store, 'commit', 'commits')
  return store
}

const start = (...plugins: Plugin[]): Promise<Runtime> =>
  startRuntime({ plugins: plugins.map((plugin) => ({ plugin })), defaultModel: 'counted/one', store: countingStore() })

/** Answers at once, in one promise. */
const provider: ModelProvider = {
  id: 'counted',
  models: async () => [{ id: 'one' }],
  async *generate() {},
  complete: () =>
    Promise.resolve({
      text: 'Four.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 2, estimated: false },
    }),
}

const model = definePlugin('model', ({ providers }) => providers.add('counted', provider))

/** Answers every stage at once. */
const constant = definePlugin('constant', ({ hooks }) => {
  hooks.execute.tap('constant', (answer) => answer ?? execution)
  hooks.reflect.tap('constant', (answer) => answer ?? reflection)
  hooks.consensus.tap('constant', (answer) => answer ?? consensus)
  hooks.inspect.tap('constant', (answer) => answer ?? { grade: 'healthy', score: 1, issues: [], signals: {} })
})

const usage = { inputTokens: 0, outputTokens: 0, estimated: false }
const execution = { status: 'completed' as const, output: 'Four.', steps: [], agents: [], artifacts: [] }
const reflection = { verdict: 'pass' as const, score: 1, confidence: 1, checks: [], lessons: [], usage }
const consensus = {
  decision: 'accept' as const,
  posterior: 1,
  confidence: 1,
  votes: [],
  effectiveVotes: 1,
  clusters: [],
  minority: [],
  stopReason: 'confident' as const,
  usage,
}

/** The default agent loop, and nothing else. */
const orchestrated = definePlugin('orchestrated', ({ hooks }) => {
  const orchestrator = new AdaptiveOrchestrator()
  hooks.execute.tapPromise('orchestrated', (_answer, { plan, allocation, complexity, previous }, run) =>
    orchestrator.execute(plan, run, previous, { allocation, complexity }),
  )
})

const test = suite('what a run makes')

/** Every count at most what is named: fewer is better, and lowers the figure here. */
function assertAtMost(found: Counts, most: Counts): void {
  for (const name of Object.keys(most) as (keyof Counts)[]) {
    assert.ok(found[name] <= most[name], `${name}: ${found[name]} a run, at most ${most[name]}`)
  }
}

test('a run whose stages answer at once', async () => {
  const found = await countRuns(await start(model(), constant(), tiny({})))
  assertAtMost(found, {
    promises: 46,
    timers: 0,
    abortListeners: 0,
    signals: 0,
    commits: 15,
    compilations: 0,
    hashes: 0,
    stringified: 0,
    collections: 16,
  })
})

test('a run of one agent that asks a model once', async () => {
  const found = await countRuns(await start(model(), orchestrated(), tiny({})))
  assertAtMost(found, {
    promises: 78,
    timers: 0,
    abortListeners: 0,
    signals: 1,
    commits: 24,
    compilations: 0,
    hashes: 0,
    stringified: 0,
    collections: 51,
  })
})

test('the counts see what they count', async () => {
  const making = definePlugin('making', ({ hooks }) => {
    hooks.execute.tapPromise('making', async () => {
      new AbortController().signal.addEventListener('abort', () => {})
      clearTimeout(setTimeout(() => {}, 1_000))
      new Function('return 1')()
      JSON.stringify([new Map(), new Set(), crypto.hash('sha256', 'text')])
      return execution
    })
  })
  const plain = await countRuns(await start(model(), constant(), tiny({})))
  const more = await countRuns(await start(model(), making(), constant(), tiny({})))
  for (const name of Object.keys(plain) as (keyof Counts)[]) {
    if (name !== 'commits') assert.ok(more[name] > plain[name], `${name}: ${more[name]} and ${plain[name]}`)
  }
})

test.run()
