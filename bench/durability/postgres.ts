/**
 * How soon a store in PostgreSQL acts: creations a second, the start of a queued run, and how soon another worker goes on
 * after `kill -9`. What a run costs there: `postgres-runs.mjs`.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/postgres.ts
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { RunRow } from '@svc/core'
import { createRuntime, PostgresStore } from '@svc/plugins'
import { argumentsFor } from '../../.tools/launch.ts'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { eventOf, newRow } from '../../plugins/test/fixtures/run-rows.ts'
import {
  ended,
  killWorkers,
  newTask,
  startCountingModel,
  startWorker,
} from '../../plugins/test/fixtures/run-workers.ts'
import { serverMs } from './server-ms.mjs'
import { newAnswer } from './tasks.mjs'

const STEPS = 20
const RUNS = 300
const STORED = 100_000

const server = await startPostgres([])
const percentile = (list: readonly number[], part: number): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? Number.NaN
const rounded = (value: number): number => Math.round(value * 100) / 100

async function creations(): Promise<void> {
  const store = new PostgresStore({ url: server.newDatabase() })
  const runtime = await createRuntime(
    { model: 'offline/offline', server: { limits: { queuedRuns: 10_000 } } },
    { store, env: {}, claims: 'none' },
  )
  const started = performance.now()
  let left = 1_000
  const one = async (): Promise<void> => {
    while (left-- > 0) await runtime.runs.create(newTask('run', STEPS))
  }
  await Promise.all(Array.from({ length: 16 }, one))
  console.log('creations a second, 16 at once'.padEnd(44), Math.round(1_000_000 / (performance.now() - started)))
  await runtime.close()
}

/** Of a queued run on a worker that is free, and after the kill of the worker that holds it. */
async function latencies(): Promise<void> {
  const url = server.newDatabase()
  const counting = await startCountingModel(20)
  const store = new PostgresStore({ url })
  const service = await createRuntime({ model: 'offline/offline' }, { store, env: {}, claims: 'none' })
  let [one, two] = await Promise.all([startWorker(url, counting.url), startWorker(url, counting.url)])
  const waits: number[] = []
  const recoveries: number[] = []
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  for (let n = 0; n < 30; n++) {
    const { id } = await service.runs.create(newTask(`warm ${n}`, 1))
    const started = performance.now()
    await until(async () => (await store.runs.get(id))?.startedAt !== undefined)
    waits.push(performance.now() - started)
    await service.runs.wait(id)
  }
  for (let n = 0; n < 10; n++) {
    const made = Array.from({ length: 4 }, (_, k) => service.runs.create(newTask(`run ${n}-${k}`, STEPS)))
    const ids = (await Promise.all(made)).map(({ id }) => id)
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 100))
    one.kill('SIGKILL')
    await ended(one)
    const killed = performance.now()
    await Promise.all(
      ids.map(async (id) => {
        await service.runs.wait(id)
        const [event] = await store.events.list(id, { types: ['run.recovered'] })
        if (event !== undefined) recoveries.push(Date.parse(event.time) - (performance.timeOrigin + killed))
      }),
    )
    ;[one, two] = [two, await startWorker(url, counting.url)]
  }
  const show = (list: number[]): string =>
    JSON.stringify({ count: list.length, p50: rounded(percentile(list, 0.5)), p95: rounded(percentile(list, 0.95)) })
  console.log('start of a queued run, ms'.padEnd(44), show(waits))
  console.log('recovery after kill -9, leases of 1 s, ms'.padEnd(44), show(recoveries))
  await killWorkers()
  await service.close()
  await counting.close()
}

/** Runs of two steps that are queued already, over so many workers on this machine, which the database shares. */
async function throughput(): Promise<void> {
  for (const workers of [1, 2, 4]) {
    const url = server.newDatabase()
    const store = new PostgresStore({ url })
    const config = { model: 'offline/offline', server: { limits: { queuedRuns: 10_000 } } }
    const service = await createRuntime(config, { store, env: {}, claims: 'none' })
    const children = await Promise.all(Array.from({ length: workers }, () => startTeamWorker(url)))
    const make = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, (_, n) => service.runs.create(newTask(`run ${n}`, 2))))
    const ended = async (): Promise<number> => (await service.runs.summary({ status: 'completed' })).total
    const wait = async (count: number): Promise<void> => {
      while ((await ended()) < count) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await make(100)
    await wait(100)
    const cpu = (): number[] => [serverMs(server.pid()), children.reduce((sum, { pid = 0 }) => sum + serverMs(pid), 0)]
    const [started, before] = [performance.now(), cpu()]
    await make(RUNS)
    await wait(100 + RUNS)
    const seconds = (performance.now() - started) / 1_000
    const [database, own] = cpu().map((ms, index) => rounded((ms - (before[index] ?? 0)) / RUNS))
    const each = `ms of CPU a run: database ${database}, workers ${own}`
    console.log(`runs a second, ${workers} workers`.padEnd(44), rounded(RUNS / seconds), each)
    for (const child of children) child.kill('SIGKILL')
    await service.close()
  }
}

async function startTeamWorker(url: string): Promise<ChildProcess> {
  const args = argumentsFor(new URL('team-worker.ts', import.meta.url))
  const execArgv = args.slice(0, -1)
  const child = fork(args.at(-1) ?? '', [url], { execArgv, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

/** How long what people wait for takes with so many runs in the database, half of them of another folder. */
async function manyRuns(): Promise<void> {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await store.open()
  const summary = 'The answer is that all is well'
  for (let from = 0; from < STORED; from += 2_000) {
    const made = Array.from({ length: 2_000 }, (_, n) => {
      const row = endedRow(from + n)
      return store.create(row, [eventOf(row.id, { result: { summary } }, 'run.completed')])
    })
    await Promise.all(made)
  }
  await Promise.all(Array.from({ length: 10_000 }, (_, n) => store.create(queuedRow(n), [])))
  await store.close()
  const sql = (text: string): string => server.sql(text, new URL(url).pathname.slice(1))
  sql('ANALYZE')
  const started = performance.now()
  const runtime = await createRuntime(
    { model: 'offline/offline', store: { url, space: '/a' } },
    { env: {}, claims: 'none' },
  )
  console.log(`start with ${STORED} runs, ms`.padEnd(44), rounded(performance.now() - started))
  const reads = {
    'list of 20': () => runtime.runs.list({ limit: 20 }),
    'list of 20 by status': () => runtime.runs.list({ limit: 20, status: 'completed' }),
    'search, words of one run': () => runtime.runs.list({ limit: 20, q: 'word77777x' }),
    'search, words of all runs': () => runtime.runs.list({ limit: 20, q: 'count the' }),
    'search, words of none': () => runtime.runs.list({ limit: 20, q: 'no such words' }),
    summary: () => runtime.runs.summary(),
  }
  for (const [name, read] of Object.entries(reads)) {
    const times: number[] = []
    for (let n = 0; n < 30; n++) {
      const begun = performance.now()
      await read()
      times.push(performance.now() - begun)
    }
    console.log(`${name}, ms`.padEnd(44), JSON.stringify({ p50: rounded(percentile(times, 0.5)) }))
  }
  await runtime.close()
}

function endedRow(n: number): RunRow {
  const task = `Count the lines of ${newAnswer()} with word${n}x`
  return newRow(`run_${n}`, { status: 'completed', task, space: n % 2 === 0 ? '/b' : '/a', create: { task } })
}

const queuedRow = (n: number): RunRow => newRow(`run_q${n}`, { space: '/b' })

const parts = { creations, latencies, throughput, manyRuns }
const asked = process.argv.slice(2)
for (const [name, part] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await part()
server.close()
