/** A run that cannot be read can still be removed, whichever of its parts is damaged. */
import { join } from 'node:path'
import type { Runtime, Store } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, PostgresStore, SqliteStore } from '../src/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { missing, startPostgres } from './fixtures/postgres.ts'
import { newFolder } from './fixtures/run-rows.ts'
import { endedRun, errorOf, modelOf } from './fixtures/runs.ts'

const test = suite('removing a damaged run')

/** Damage to all runs of a store. */
const DAMAGE = {
  log: 'UPDATE run_log SET crc = crc + 1',
  request: "UPDATE run_requests SET body = '{}'",
  row: `UPDATE runs SET state = '{"costUsd":1}'`,
} as const

/** A database, a store over it, and how to damage what is in it. */
interface Place {
  open(): Store
  damage(sql: string): void
  close(): void
}

function inSqlite(): Place {
  const file = join(newFolder(), 'svc.db')
  return {
    open: () => new SqliteStore({ file }),
    damage(sql) {
      const db = new Sqlite(file)
      db.exec(sql)
      db.close()
    },
    close() {},
  }
}

async function inPostgres(): Promise<Place> {
  const server = await startPostgres()
  const url = server.newDatabase()
  return {
    open: () => new PostgresStore({ url }),
    damage: (sql) => void server.sql(`SET search_path TO svc; ${sql}`, url.split('/').at(-1)),
    close: () => server.close(),
  }
}

const start = (store: Store): Promise<Runtime> =>
  createRuntime({ model: 'scripted' }, { env: {}, store, plugins: [modelOf(() => '42')] })

const codeOf = async (work: Promise<unknown>): Promise<string> => (await errorOf(work)).code

for (const [name, make, isSkipped] of [
  ['SQLite', inSqlite, false],
  ['PostgreSQL', inPostgres, missing !== undefined],
] as const)
  (isSkipped ? test.skip : test)(`works in ${name}, and leaves the others alone`, async () => {
    const place = await make()
    for (const [part, sql] of Object.entries(DAMAGE)) {
      let runtime = await start(place.open())
      const id = await endedRun(runtime, { task: 'What is 6 times 7?' })
      await runtime.close()
      place.damage(sql)
      runtime = await start(place.open())
      assert.is(await codeOf(runtime.runs.get(id)), 'log_corrupt', part)
      const [listed] = (await runtime.runs.list()).data
      assert.is(listed?.error?.code, 'log_corrupt', part)
      const whole = await endedRun(runtime, { task: 'What is 7 times 7?' })
      await runtime.runs.delete(id)
      assert.is(await codeOf(runtime.runs.get(id)), 'run_not_found', part)
      assert.is(await codeOf(runtime.runs.delete(id)), 'run_not_found', part)
      const { data } = await runtime.runs.list()
      assert.equal(
        data.map((run) => [run.id, run.status]),
        [[whole, 'completed']],
        part,
      )
      await runtime.runs.delete(whole)
      await runtime.close()
    }
    place.close()
  })

test.run()
