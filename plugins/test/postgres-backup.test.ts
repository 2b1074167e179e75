/** The commands of docs/operations.md, over runs that are at work. */
import * as assert from 'uvu/assert'
import { PostgresStore } from '../src/stores/index.ts'
import { postgresSuite } from './fixtures/postgres-suite.ts'
import {
  killWorkers,
  newTask,
  recorded,
  startCountingModel,
  startService,
  startWorker,
} from './fixtures/run-workers.ts'
import { until } from './fixtures/until.ts'

const { test, withServer, server } = await postgresSuite('backups of PostgreSQL')
const STEPS = 8

withServer('a copy made while runs are at work has each run of before, and they go on from there', async () => {
  const [url, other] = [server.newDatabase(), server.newDatabase()]
  const model = await startCountingModel(50)
  const store = new PostgresStore({ url })
  const service = await startService(store)
  await startWorker(url, model.url, 3_000)
  const make = async (name: string): Promise<string> => (await service.runs.create(newTask(name, STEPS))).id
  const ended = await make('ended')
  await service.runs.wait(ended)
  const ids = [ended, ...(await Promise.all(['one', 'two', 'three'].map(make)))]
  await until(async () => (await recorded(store, ids)).size > STEPS + 2)
  server.run('pg_dump', ['--schema=svc', '--schema=svc_dbos', '--file=copy.sql', url])
  const later = await make('later')
  await killWorkers()
  await service.close()

  server.run('psql', ['-q', '--set=ON_ERROR_STOP=1', '--single-transaction', '--file=copy.sql', other])
  const restored = new PostgresStore({ url: other })
  const again = await startService(restored)
  const known = await recorded(restored, ids)
  assert.ok(known.size > STEPS + 2 && known.size < 4 * STEPS, `${known.size} steps were done`)
  const asked = model.asked.length
  await startWorker(other, model.url, 3_000)
  const runs = await Promise.all(ids.map((id) => again.runs.wait(id)))
  assert.equal(
    runs.map(({ status, error }) => error?.message ?? status),
    ids.map(() => 'completed'),
  )
  assert.equal(
    model.asked.slice(asked).filter((each) => known.has(each)),
    [],
    'no recorded call is made again',
  )
  assert.is(await restored.runs.get(later), undefined)
  for (const id of ids) {
    const events = await restored.events.list(id)
    assert.equal(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
  }
  await again.close()
  await model.close()
})

test.run()
