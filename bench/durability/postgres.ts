/**
 * What durability in PostgreSQL costs: runs of 20 steps against 20 plain durable inserts over the same driver into the
 * same database, creations a second, the start of a queued run, and how soon another worker goes on after `kill -9`.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/postgres.ts
 */
import { readdirSync, readFileSync } from 'node:fs'
import { definePlugin, type Runtime, type Store } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { createRuntime, PostgresStore } from '@svc/plugins'
import { loadPg } from '../../plugins/src/stores/postgres/load-pg.ts'
import { type Postgres, startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import {
  ended,
  killWorkers,
  newTask,
  startCountingModel,
  startWorker,
} from '../../plugins/test/fixtures/run-workers.ts'

const STEPS = 20
const RUNS = 60
const TICK_MS = 10

const server = await startPostgres()
const { Client } = await loadPg()
const percentile = (list: readonly number[], part: number): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? Number.NaN
const rounded = (value: number): number => Math.round(value * 100) / 100

/** Processor time of the database's processes so far, in milliseconds; those that have ended count with the postmaster. */
function serverMs({ pid }: Postgres): number {
  const postmaster = pid()
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      const [own, waited] = [(fields[11] ?? 0) + (fields[12] ?? 0), (fields[13] ?? 0) + (fields[14] ?? 0)]
      if (Number(name) === postmaster) ticks += own + waited
      else if (fields[1] === postmaster) ticks += own
    } catch {
      // it has just ended
    }
  }
  return ticks * TICK_MS
}

/** What each of some pieces of work takes. */
async function measure(name: string, database: string, count: number, work: () => Promise<void>): Promise<void> {
  const wal = (): number => Number(server.sql("SELECT pg_current_wal_lsn() - '0/0'", database))
  const size = (): number => Number(server.sql(`SELECT pg_database_size('${database}')`, database))
  const [walBefore, sizeBefore, serverBefore] = [wal(), size(), serverMs(server)]
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  await work()
  const ms = (performance.now() - started) / count
  const { user, system } = process.cpuUsage(cpuBefore)
  const figures = {
    ms: rounded(ms),
    clientCpuMs: rounded((user + system) / 1_000 / count),
    serverCpuMs: rounded((serverMs(server) - serverBefore) / count),
    walBytes: Math.round((wal() - walBefore) / count),
    tableBytes: Math.round((size() - sizeBefore) / count),
  }
  console.log(name.padEnd(44), JSON.stringify(figures))
}

const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

async function floor(atOnce: number): Promise<void> {
  const url = server.newDatabase()
  const clients = Array.from({ length: atOnce }, () => new Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query('CREATE TABLE steps (run integer, step integer, body text, PRIMARY KEY (run, step))')
  const body = JSON.stringify({ text: 'done'.repeat(40) })
  await measure(`${STEPS} plain inserts, ${atOnce} at once`, nameOf(url), RUNS, async () => {
    let next = 0
    await Promise.all(
      clients.map(async (client) => {
        for (let run = next++; run < RUNS; run = next++) {
          for (let step = 0; step < STEPS; step++) {
            const values = [run, step, body]
            await client.query({ name: 'step', text: 'INSERT INTO steps VALUES ($1, $2, $3)', values })
          }
        }
      }),
    )
  })
  await Promise.all(clients.map((client) => client.end()))
}

const model = definePlugin('model', ({ providers }) =>
  providers.add(
    'scripted',
    scriptedProvider('scripted', () => ({ text: 'done'.repeat(40) })),
  ),
)()
const start = (store: Store | undefined, atOnce: number): Promise<Runtime> =>
  createRuntime(
    {
      model: 'scripted/scripted',
      components: { consensus: false, reflect: false, memory: false },
      server: { limits: { runningRuns: atOnce } },
    },
    { plugins: [model], env: {}, ...(store && { store }) },
  )

async function wholeRuns(atOnce: number, isDurable: boolean): Promise<void> {
  const url = server.newDatabase()
  const runtime = await start(isDurable ? new PostgresStore({ url }) : undefined, atOnce)
  let next = 0
  const go = async (count: number): Promise<void> => {
    let left = count
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const { id } = await runtime.runs.create(newTask(`run ${next++}`, STEPS))
        const { status } = await runtime.runs.wait(id)
        if (status !== 'completed') throw new Error(status)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, one))
  }
  await go(20)
  const name = `a run of ${STEPS} steps, ${atOnce} at once, ${isDurable ? 'in PostgreSQL' : 'in memory'}`
  await measure(name, nameOf(url), RUNS, () => go(RUNS))
  await runtime.close()
}

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

for (const atOnce of [1, 8]) {
  await floor(atOnce)
  await wholeRuns(atOnce, false)
  await wholeRuns(atOnce, true)
}
await creations()
await latencies()
server.close()
