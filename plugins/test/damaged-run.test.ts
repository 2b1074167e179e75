/** A run that cannot be read can still be removed, whichever of its parts is damaged. */
import { join } from 'node:path'
import { definePlugin, type Runtime, type Store, SvcError } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, PostgresStore, SqliteStore } from '../src/index.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { missing, startPostgres } from './fixtures/postgres.ts'
import { newFolder } from './fixtures/run-rows.ts'

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
  createRuntime(
    { model: 'scripted/scripted' },
    {
      env: {},
      store,
      plugins: [
        definePlugin('parts', ({ providers }) =>
          providers.add(
            'scripted',
            scriptedProvider('scripted', () => '42'),
          ),
        )(),
      ],
    },
  )

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'nothing thrown'
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? thrown.code : String(thrown)
  }
}

for (const [name, make, isSkipped] of [
  ['SQLite', inSqlite, false],
  ['PostgreSQL', inPostgres, missing !== undefined],
] as const)
  (isSkipped ? test.skip : test)(`works in ${name}, and leaves the others alone`, async () => {
    const place = await make()
    for (const [part, sql] of Object.entries(DAMAGE)) {
      let runtime = await start(place.open())
      const { id } = await runtime.runs.create({ task: 'What is 6 times 7?' })
      await runtime.runs.wait(id)
      await runtime.close()
      place.damage(sql)
      runtime = await start(place.open())
      assert.is(await codeOf(runtime.runs.get(id)), 'log_corrupt', part)
      const whole = await runtime.runs.create({ task: 'What is 7 times 7?' })
      await runtime.runs.wait(whole.id)
      await runtime.runs.delete(id)
      assert.is(await codeOf(runtime.runs.get(id)), 'run_not_found', part)
      assert.is(await codeOf(runtime.runs.delete(id)), 'run_not_found', part)
      const { data } = await runtime.runs.list()
      assert.equal(
        data.map((run) => [run.id, run.status]),
        [[whole.id, 'completed']],
        part,
      )
      await runtime.runs.delete(whole.id)
      await runtime.close()
    }
    place.close()
  })

test.run()
