/** Another process holds the database, or its disk is full, while runs write: nothing is lost, and nothing is done twice. */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { definePlugin, type RunEvent, type Runtime, type Store, type ToolRisk } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, PostgresStore, SqliteStore } from '../src/index.ts'
import { loadPg } from '../src/stores/postgres/load-pg.ts'
import { Sqlite } from '../src/stores/sqlite/file/sqlite.ts'
import { type LockHolder, startLockHolder } from './fixtures/lock-holder.ts'
import { missing, startPostgres } from './fixtures/postgres.ts'
import { newFolder } from './fixtures/run-rows.ts'
import { eventsOf } from './fixtures/runs.ts'

const test = suite('a busy database')

/** More than an agent is shown: the rest is stored beside the log. */
const LONG = 'a long result '.repeat(10_000)

const opened: { close(): unknown }[] = []
test.after.each(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

interface World {
  runtime: Runtime
  /** How often the tool has acted. */
  acted(): number
  /** What the model was shown of the tool's results. */
  shown: string[]
}

/** A model that calls a tool once, and again where it reads that the call failed. */
async function openWorld(store: Store, risk: ToolRisk, onAct: () => Promise<void>, leaseMs = 30_000): Promise<World> {
  let acted = 0
  const shown: string[] = []
  const parts = definePlugin('parts', ({ providers, tools }) => {
    const script = scriptedProvider('scripted', ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
      shown.push(...results.slice(shown.length))
      const isFailed = results.at(-1)?.includes('store_unavailable') || results.at(-1)?.includes('disk_full')
      if (results.length > 0 && !isFailed) return 'It is done.'
      return { toolCalls: [{ tool: 'act', args: { nth: results.length } }] }
    })
    providers.add('scripted', script)
    tools.add('act', {
      id: 'act',
      description: 'Acts.',
      risk,
      parameters: { type: 'object', properties: { nth: { type: 'number' } } },
      run: async () => {
        acted++
        if (acted === 1) await onAct()
        return LONG
      },
    })
  })()
  const runtime = await createRuntime(
    {
      model: 'scripted/scripted',
      components: { reflect: false, consensus: false },
      policy: { rules: [{ tool: 'act', decision: 'allow' }] },
    },
    { env: {}, store, plugins: [parts], leaseMs },
  )
  opened.push(runtime)
  return { runtime, acted: () => acted, shown }
}

async function startHolder(file: string): Promise<LockHolder> {
  const holder = await startLockHolder(file)
  opened.push(holder)
  return holder
}

test('a row that is written after another process held the file is there for everybody', async () => {
  const file = join(newFolder(), 'svc.db')
  const db = new Sqlite(file)
  db.exec('CREATE TABLE notes (text TEXT)')
  db.waitAtMost(10)
  const holder = await startHolder(file)
  await holder.hold()
  const insert = (text: string): number => db.run('INSERT INTO notes VALUES (?)', [text])
  assert.throws(() => db.transaction(() => insert('refused')), /was held by another process/)
  await holder.free()
  insert('first')
  const other = new Sqlite(file)
  const texts = (): unknown[] => other.all('SELECT text FROM notes').map(({ text }) => text)
  assert.equal(texts(), ['first'])
  db.transaction(() => insert('second'))
  assert.equal(texts(), ['first', 'second'])
  other.close()
  db.close()
})

/** A tool that acts, and whose result comes while another one holds the database. */
async function actWhileHeld(risk: ToolRisk, store: Store, lock: Pick<LockHolder, 'hold' | 'free'>, ms: number) {
  let freed: Promise<void> | undefined
  const { runtime, acted, shown } = await openWorld(store, risk, async () => {
    await lock.hold()
    freed = setTimeout(ms).then(() => lock.free())
  })
  const { id } = await runtime.runs.create({ task: 'Act once.' })
  const { status } = await runtime.runs.wait(id)
  await freed
  assert.is(status, 'completed', risk)
  assert.is(acted(), 1, risk)
  assert.is(shown.length, 1, risk)
  assert.not.match(shown[0] ?? '', /store_unavailable/)
  const events = await eventsOf(runtime, id)
  assertGapFree(events)
  assert.is(events.at(-1)?.type, 'run.completed')
}

function assertGapFree(events: readonly RunEvent[]): void {
  assert.equal(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
}

// Longer than other writes wait for the file.
test('a tool of any risk acts once, and its long result is kept, while another process holds the file for 5.5 s', async () => {
  await Promise.all(
    (['write', 'read'] as const).map(async (risk) => {
      const file = join(newFolder(), 'svc.db')
      await actWhileHeld(risk, new SqliteStore({ file }), await startHolder(file), 5_500)
    }),
  )
})

const withServer = missing === undefined ? test : test.skip

/** After 10 s without an answer a statement is asked again over another connection. */
const lockedMs = process.env.SVC_NIGHTLY === '1' ? 12_000 : 1_500

withServer('a tool acts once while another session of PostgreSQL locks the tables', async () => {
  const server = await startPostgres()
  opened.push(server)
  const url = server.newDatabase()
  const session = new (await loadPg()).Client({ connectionString: url })
  // The server ends before the session does where a test fails.
  session.on('error', () => {})
  await session.connect()
  const lock = {
    async hold() {
      await session.query('BEGIN')
      await session.query('LOCK TABLE svc.runs, svc.run_log, svc.run_payloads IN ACCESS EXCLUSIVE MODE')
    },
    async free() {
      await session.query('COMMIT')
    },
  }
  await actWhileHeld('write', new PostgresStore({ url }), lock, lockedMs)
  await session.end()
})

test('where the wait ends with the lease, the call is in doubt: a person is asked, and the tool does not act again', async () => {
  const file = join(newFolder(), 'svc.db')
  let holder: LockHolder | undefined
  const { runtime, acted, shown } = await openWorld(
    new SqliteStore({ file }),
    'write',
    async () => holder?.hold(),
    1_000,
  )
  holder = await startHolder(file)
  const { id } = await runtime.runs.create({ task: 'Act once.', approval: 'wait' })
  // On a slow machine the lease may be lost before the wait for the file ends: then nobody says why until the file is free.
  const said = await Promise.race([runtime.runs.wait(id).catch(String), setTimeout(20_000, '', { ref: false })])
  if (said !== '') assert.match(String(said), /held by other processes for more than \d+(?:\.\d+)? s: try again/)
  const asked = whenAsked(runtime, id)
  await holder.free()
  await assertInDoubt(runtime, id, await asked)
  assert.is(acted(), 1)
  assert.is(shown.length, 1)
  assert.match(shown[0] ?? '', /it is unknown whether it ran/)
})

test('a runtime closes while another process keeps it from writing what it put off', async () => {
  const file = join(newFolder(), 'svc.db')
  const { runtime } = await openWorld(new SqliteStore({ file }), 'read', async () => {})
  await runtime.memory.write({ content: 'The kettle is blue.' })
  // How often it was found is written at the end.
  assert.is((await runtime.memory.query({ query: 'kettle' })).data.length, 1)
  const holder = await startHolder(file)
  await holder.hold()
  await runtime.close()
  await holder.free()
  const next = await openWorld(new SqliteStore({ file }), 'read', async () => {})
  assert.is((await next.runtime.memory.query({ query: 'kettle' })).data.length, 1)
})

/** Resolves when the run has come back by itself and asks somebody. */
function whenAsked(runtime: Runtime, id: string): Promise<RunEvent> {
  return new Promise((resolve) => {
    const stop = runtime.onEvent((event) => {
      if (event.runId !== id || event.type !== 'run.waiting') return
      stop()
      resolve(event)
    })
  })
}

/** It asks what happened, and goes on when somebody says so. */
async function assertInDoubt(runtime: Runtime, id: string, asked: RunEvent): Promise<void> {
  const { input } = asked.data as { input?: { prompt: string; schema: { properties: { callId: { const: string } } } } }
  assert.match(input?.prompt ?? '', /It is unknown whether act was run/)
  await runtime.runs.resume(id, { input: { callId: input?.schema.properties.callId.const, choice: 'skip' } })
  assert.is((await runtime.runs.wait(id)).status, 'completed')
  assertGapFree(await eventsOf(runtime, id))
}

test.run()
