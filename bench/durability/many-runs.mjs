/**
 * A folder with many runs: how soon a runtime starts on it, how long each filter of a list takes, bytes a run; how the
 * bytes of one run grow with its turns; and creations a second, acknowledged when they are durable.
 *
 * Usage: node bench/durability/many-runs.mjs [--runs 10000] [--events 100] [--turns 300]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { definePlugin } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { createRuntime, SqliteStore } from '@svc/plugins'
import { median, outputOf } from '../measure.mjs'
import { CONFIG, newAnswer, newTask, repeat, scriptedModel, wholeRun } from './tasks.mjs'

const { values: given } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    events: { type: 'string', default: '100' },
    turns: { type: 'string', default: '300' },
  },
})
const [RUNS, EVENTS, TURNS] = [Number(given.runs), Number(given.events), Number(given.turns)]
/** Runs that are written side by side when the folder is filled. */
const SIDE_BY_SIDE = 50
const EVENTS_IN_COMMIT = 4
const STATUSES = ['completed', 'failed', 'incomplete', 'cancelled']
const START_MS = Date.parse('2026-01-01T00:00:00.000Z')

const dir = mkdtempSync(join(tmpdir(), 'svc-many-runs-'))
try {
  await measureFull()
  await measureTurns()
  await measureCreations()
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function measureFull() {
  const file = join(dir, 'full.db')
  const began = performance.now()
  await fill(file)
  show(`filling: ${RUNS} runs, ${RUNS * EVENTS} events`, (performance.now() - began) / 1_000, 's')
  show('bytes a run', statSync(file).size / RUNS / 1024, 'KB')
  show('bytes an event', statSync(file).size / RUNS / EVENTS, 'B')

  const inside = []
  for (let n = 0; n < 3; n++) {
    const started = performance.now()
    const runtime = await openRuntime(file)
    await runtime.runs.list({ limit: 20 })
    inside.push(performance.now() - started)
    await runtime.close()
  }
  show('start of a runtime and its first list', median(inside) / 1_000, 's', 5)
  show('the same in a new process, from its start', await startOfProcess(file), 's', 5)

  const runtime = await openRuntime(file)
  const at = (part) => new Date(START_MS + RUNS * part * 60_000).toISOString()
  const filters = {
    none: {},
    'status completed': { status: 'completed' },
    'status waiting, which none has': { status: 'waiting' },
    mode: { mode: 'analyze' },
    threadId: { threadId: 'thread-7' },
    agent: { agent: 'agent-3' },
    'agent that none has': { agent: 'nobody' },
    'createdAfter, the newest tenth': { createdAfter: at(0.9) },
    'createdBefore, the oldest tenth': { createdBefore: at(0.1) },
    'createdAfter, nearly all': { createdAfter: at(0.01) },
    'q that many have': { q: 'number' },
    'q that one has': { q: `number ${RUNS >> 1} ` },
    'q that none has': { q: 'no such words' },
    tag: { tag: 'tag-5' },
    'tag that none has': { tag: 'nothing' },
    left: { left: true },
    'status, agent, tag and q': { status: 'completed', agent: 'agent-3', tag: 'tag-4', q: 'count' },
  }
  for (const [name, query] of Object.entries(filters)) {
    const times = []
    let found = 0
    for (let n = 0; n < 15; n++) {
      const started = performance.now()
      found = (await runtime.runs.list({ limit: 20, ...query })).data.length
      times.push(performance.now() - started)
    }
    const slowest = Math.max(...times).toFixed(1)
    show(`20 by ${name}: ${found} found; slowest ${slowest} ms`, median(times), 'ms', 50)
  }
  await runtime.close()
}

function openRuntime(file) {
  return createRuntime(CONFIG, { plugins: [scriptedModel()], env: {}, store: new SqliteStore({ file }) })
}

async function startOfProcess(file) {
  const script = `
    import { createRuntime, SqliteStore } from '@svc/plugins'
    const runtime = await createRuntime({ model: 'offline/offline' }, { env: {}, store: new SqliteStore({ file: process.argv[1] }) })
    await runtime.runs.list({ limit: 20 })
    console.log(performance.now())
    await runtime.close()`
  const times = []
  for (let n = 0; n < 3; n++) {
    times.push(Number(await outputOf(['--input-type=module', '-e', script, file], { cwd: import.meta.dirname })))
  }
  return median(times) / 1_000
}

/** Writes runs as a worker does, in commits of a few events, without waiting for the disk. */
async function fill(file) {
  const store = new SqliteStore({ file, fsync: 'off' })
  store.open()
  for (let from = 0; from < RUNS; from += SIDE_BY_SIDE) {
    const numbers = Array.from({ length: Math.min(SIDE_BY_SIDE, RUNS - from) }, (_, index) => from + index)
    await Promise.all(numbers.map((n) => store.create(rowOf(n), eventsOf(n, 1))))
    const claimed = await store.claim('filler', { limit: SIDE_BY_SIDE, ttlMs: 60_000 })
    await Promise.all(
      claimed.map(async ({ run, lease }) => {
        const n = Number(run.id.slice(run.id.lastIndexOf('-') + 1))
        for (let left = EVENTS - 1; left > 0; left -= EVENTS_IN_COMMIT) {
          const events = eventsOf(n, Math.min(left, EVENTS_IN_COMMIT))
          const isLast = left <= EVENTS_IN_COMMIT
          const agents = [{ id: `agent-${n % 5}`, name: 'Agent', status: 'completed' }]
          const end = { status: STATUSES[n % STATUSES.length], agents, finishedAt: rowOf(n).createdAt }
          await store.commit(lease, { events, ...(isLast && { run: end }) })
        }
        await store.release(lease)
      }),
    )
  }
  await store.close()
}

function rowOf(n) {
  const task = `Count to number ${n} and say which of its parts are prime`
  return {
    id: `run-${n}`,
    status: 'queued',
    mode: n % 10 === 0 ? 'analyze' : 'execute',
    task,
    threadId: undefined,
    ...(n % 100 === 7 && { threadId: 'thread-7' }),
    recoveries: 0,
    version: 1,
    createdAt: new Date(START_MS + n * 60_000).toISOString(),
    lastSeq: 0,
    agents: [],
    usage: { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 },
    costUsd: null,
    tags: [`tag-${n % 20}`],
    links: {},
    format: 1,
    create: { task },
    configHash: 'hash',
  }
}

function eventsOf(n, count) {
  return Array.from({ length: count }, (_, index) => ({
    v: 1,
    type: 'message.completed',
    time: new Date(START_MS + n * 60_000).toISOString(),
    runId: `run-${n}`,
    stage: 'execute',
    agentId: `agent-${n % 5}`,
    callId: `call-${n}-${index}`,
    data: { role: 'assistant', content: [{ type: 'text', text: newAnswer() }], streamed: false },
  }))
}

/** One agent that calls a tool at every turn: each turn says as much as the one before. */
async function measureTurns() {
  const sizes = []
  for (const turns of [TURNS / 4, TURNS / 2, TURNS]) {
    const file = join(dir, `turns-${turns}.db`)
    const runtime = await createRuntime(
      { ...CONFIG, components: { ...CONFIG.components, inspect: false } },
      { plugins: [talkative(turns)], env: {}, store: new SqliteStore({ file }) },
    )
    const agent = { id: 'talker', name: 'Talker', role: 'worker', budget: { maxSteps: turns + 1 } }
    await wholeRun(runtime, {
      task: 'Go on counting',
      topology: 'SINGLE',
      agents: [agent],
      tokenBudget: 1_000_000_000,
      approval: 'allow-write',
      tools: { allow: ['count'] },
    })
    await runtime.close()
    sizes.push({ turns, bytes: statSync(file).size })
  }
  for (const { turns, bytes } of sizes) show(`a run of ${turns} turns, each with a tool call`, bytes / 1024, 'KB')
  const [, half, whole] = sizes
  show('bytes, for twice the turns (its square were 4)', whole.bytes / half.bytes, 'times', 2.2)
}

function talkative(turns) {
  return definePlugin('talkative', ({ providers, tools }) => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } } }
    const run = ({ n }) => `${n} comes after ${n - 1}, and before ${n + 1}. `.repeat(12)
    tools.add('count', { id: 'count', description: 'Counts.', parameters, risk: 'read', run })
    providers.add(
      'scripted',
      scriptedProvider('scripted', (_, n) =>
        n + 1 >= turns
          ? 'All is counted.'
          : { text: `I go on at ${n}. `.repeat(20), toolCalls: [{ tool: 'count', args: { n } }] },
      ),
    )
  })()
}

async function measureCreations() {
  for (const atOnce of [1, 16]) {
    const store = new SqliteStore({ file: join(dir, `creations-${atOnce}.db`) })
    const limits = { queuedRuns: 100_000 }
    const options = { plugins: [scriptedModel()], env: {}, store, claims: 'none' }
    const runtime = await createRuntime({ ...CONFIG, server: { limits } }, options)
    let count = 0
    const create = () => runtime.runs.create(newTask(`run ${++count}`, 5))
    await repeat(200, atOnce, create)
    const started = performance.now()
    await repeat(2_000, atOnce, create)
    const aSecond = 2_000_000 / (performance.now() - started)
    show(`creations a second, ${atOnce} at once`, aSecond, '', 300, aSecond >= 300)
    await runtime.close()
  }
}

function show(name, value, unit, aim, isMet = value <= aim) {
  const figure = `${value >= 100 ? value.toFixed(0) : value.toFixed(2)} ${unit}`
  console.log(
    `${name.padEnd(62)} ${figure.padStart(12)}${aim === undefined ? '' : `  aim ${aim}: ${isMet ? 'met' : 'MISSED'}`}`,
  )
}
