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

/** A database in which a new role may make no schema. */
function limitedDatabase(role: string): { env: Record<string, string>; cwd: string; sql(text: string): void } {
  const url = server.newDatabase()
  const name = url.slice(url.lastIndexOf('/') + 1)
  server.sql(`CREATE ROLE ${role} LOGIN`)
  const cwd = folderOf({ 'README.md': '# Bread\n\nBread is baked here.\n' })
  const env = { SVC_DATABASE_URL: url.replace('svc@', `${role}@`), HOME: cwd }
  return { env, cwd, sql: (text) => server.sql(text.replaceAll('DATABASE', `DATABASE ${name}`), name) }
}

/** What becomes of a run in a process that makes no tables. */
async function runWithout(env: Record<string, string>, workspace: string): Promise<string | undefined> {
  const runtime = await createRuntime(
    { model: 'offline/offline', store: { migrate: false } },
    { env, workspace, persist: true },
  )
  try {
    const { id } = await runtime.runs.create({ task: 'Summarise README.md' })
    return (await runtime.runs.wait(id))?.status
  } finally {
    await runtime.close()
  }
}

withServer('a role that may make no schema migrates and works in those that were made for it', async () => {
  const { env, cwd, sql } = limitedDatabase('guest')
  const loaded = await loadConfig({ cwd, env })
  sql('CREATE SCHEMA svc AUTHORIZATION guest')
  assert.match(await messageOf(migrateStore({ loaded, env })), /CREATE SCHEMA svc_dbos AUTHORIZATION guest/)
  sql('CREATE SCHEMA svc_dbos AUTHORIZATION guest')
  await migrateStore({ loaded, env })
  assert.equal(await runWithout(env, cwd), 'completed')
})

withServer('migrating makes the tables of the queue too, so that workers need no right to make schemas', async () => {
  const { env, cwd, sql } = limitedDatabase('tenant')
  const loaded = await loadConfig({ cwd, env })
  sql('GRANT CREATE ON DATABASE TO tenant')
  await migrateStore({ loaded, env })
  sql('REVOKE CREATE ON DATABASE FROM tenant')
  assert.equal(await runWithout(env, cwd), 'completed')
  // As an earlier svc had left it, whose first worker made them.
  sql('DROP SCHEMA svc_dbos CASCADE')
  assert.match(await messageOf(runWithout(env, cwd)), /lacks tables of the queue: run svc migrate/)
  sql('GRANT CREATE ON DATABASE TO tenant')
  await migrateStore({ loaded, env })
  assert.equal(await runWithout(env, cwd), 'completed')
})

test.run()
