/** The tables in PostgreSQL are made by who may, and by one of several at once. */
import { loadConfig } from '@svc/core/config'
import * as assert from 'uvu/assert'
import { createRuntime, migrateStore } from '../src/index.ts'
import { PostgresStore } from '../src/stores/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { postgresSuite } from './fixtures/postgres-suite.ts'

const { test, withServer, server } = await postgresSuite('svc migrate over PostgreSQL')

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was refused',
    (thrown: Error) => thrown.message,
  )

withServer('a process that may not change tables says what to do, and starts once they are there', async () => {
  const url = server.newDatabase()
  const cwd = folderOf({})
  const env = { SVC_DATABASE_URL: url, HOME: cwd }
  const loaded = await loadConfig({ cwd, env })
  const start = () =>
    createRuntime(
      { model: 'offline/offline', store: { migrate: false } },
      { env, workspace: cwd, persist: true, claims: 'none' },
    )
  assert.match(await messageOf(start()), /has no tables of svc yet: run svc migrate, as store\.migrate is false/)
  const made = await Promise.all([1, 2, 3].map(() => migrateStore({ loaded, env })))
  const [{ format = 0 } = {}] = made
  assert.ok(format > 10)
  assert.ok(made.every((one) => one.format === format))
  await (await start()).close()
  assert.equal(await migrateStore({ loaded, env }), { before: format, format })
  const name = url.slice(url.lastIndexOf('/') + 1)
  // As an earlier svc had left it, before the index of conversations.
  server.sql(`DROP INDEX svc.threads_by_activity; DELETE FROM svc.migrations WHERE version = ${format}`, name)
  const old = new PostgresStore({ url, migrate: false })
  assert.match(
    await messageOf(Promise.resolve(old.open())),
    new RegExp(`has format ${format - 1}, and this svc needs ${format}: run svc migrate`),
  )
  assert.equal(await migrateStore({ loaded, env }), { before: format - 1, format })
  await old.close()
  await (await start()).close()
})

test.run()
