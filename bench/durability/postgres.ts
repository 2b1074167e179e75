/**
 * How soon a store in PostgreSQL acts: creations a second, the start of a queued run, and how soon another worker goes on
 * after `kill -9`. What a run costs there: `postgres-runs.mjs`.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/postgres.ts
 */
import { createRuntime, PostgresStore } from '@svc/plugins'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import {
  ended,
  killWorkers,
  newTask,
  startCountingModel,
  startWorker,
} from '../../plugins/test/fixtures/run-workers.ts'

const STEPS = 20

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

await creations()
await latencies()
server.close()
