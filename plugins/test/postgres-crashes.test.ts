/** Runs in PostgreSQL while workers, connections and the database itself go away. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PostgresStore } from '../src/stores/index.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'
import { ended, killWorkers, newTask, recorded, startCountingModel, startService, startWorker } from './fixtures/run-workers.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('crashes over PostgreSQL')
const withServer = missing === undefined ? test : test.skip
const STEPS = 8

let server: Postgres
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after.each(killWorkers)
test.after(() => {
  if (missing === undefined) server.close()
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('tests that need PostgreSQL are skipped where there is none', () => {
  if (missing !== undefined) console.log(missing)
  assert.ok(missing === undefined || missing.length > 0)
})

withServer('what a killed worker leaves goes on elsewhere within seconds, and no recorded call is repeated', async () => {
  const url = server.newDatabase()
  const model = await startCountingModel()
  const store = new PostgresStore({ url })
  const service = await startService(store)
  let [one, two] = await Promise.all([startWorker(url, model.url), startWorker(url, model.url)])
  const kills = isNightly ? 25 : 3
  const repeated: string[] = []
  const recoveries: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const made = Array.from({ length: 6 }, (_, n) => service.runs.create(newTask(`run ${kill}-${n}`, STEPS)))
    const ids = (await Promise.all(made)).map(({ id }) => id)
    await pause(100 + Math.random() * 200)
    const killed = one
    killed.kill('SIGKILL')
    await ended(killed)
    const killedAt = performance.now()
    const known = await recorded(store, ids)
    const before = model.asked.length
    const held = (await Promise.all(ids.map((id) => store.runs.get(id)))).filter((row) => row?.status === 'running')
    const stops = held.map((row) =>
      service.onEvent((event) => {
        if (event.runId === row?.id && event.type === 'run.recovered') recoveries.push(performance.now() - killedAt)
      }),
    )
    ;[one, two] = [two, await startWorker(url, model.url)]
    const runs = await Promise.all(ids.map((id) => service.runs.wait(id, 20_000)))
    for (const stop of stops) stop()
    assert.equal(
      runs.map(({ status, error }) => error?.message ?? status),
      ids.map(() => 'completed'),
    )
    repeated.push(...model.asked.slice(before).filter((objective) => known.has(objective)))
    for (const id of ids) {
      const seqs = (await store.events.list(id)).map(({ seq }) => seq)
      assert.equal(
        seqs,
        seqs.map((_, index) => index + 1),
      )
    }
  }
  assert.equal(repeated, [])
  console.log('recoveries', recoveries.map(Math.round).sort((a,b)=>a-b).join(' '), 'calls', model.asked.length)
  await service.close()
  await model.close()
})

test.run()
