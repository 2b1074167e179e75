/**
 * What durability in PostgreSQL costs: processor time, time and log of a run of 20 steps with a scripted model, one run at
 * a time and eight at once. The floors and the peer are those of `embedded.mjs`, in the same database server.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/postgres-runs.mjs [--rounds 15] [--runs 16]
 */
import { parseArgs } from 'node:util'
import { createRuntime, PostgresStore } from '@svc/plugins'
import { loadPg } from '../../plugins/src/stores/postgres/load-pg.ts'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { compareSides } from './compare.mjs'
import { createLangGraph } from './peer-langgraph.mjs'
import { serverMs } from './server-ms.mjs'
import { CONFIG, newAnswer, newTask, scriptedModel, wholeRun } from './tasks.mjs'

const STEPS = 20
const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, runs: { type: 'string', default: '16' } },
})
const server = await startPostgres([])
const { Pool } = await loadPg()

const sides = {
  postgres: await startRuns('PostgreSQL store', new PostgresStore({ url: server.newDatabase() })),
  floor: await startFloor(),
  inserts: await startInserts(),
  memory: await startRuns('in memory'),
}
const url = server.newDatabase()
const peer = await createLangGraph({ url, steps: STEPS })
if ('skipped' in peer) console.log(`LangGraph was not measured: ${peer.skipped}`)
else sides.langgraph = peer

await compareSides({
  sides,
  steps: STEPS,
  rounds: Number(given.rounds),
  runs: Number(given.runs),
  base: 'postgres',
  aims: { floor: 1.5 },
  meters: {
    'log KB': () => Number(server.sql("SELECT pg_current_wal_lsn() - '0/0'")) / 1024,
    'server CPU ms': () => serverMs(server.pid()),
  },
})
for (const side of Object.values(sides)) await side.close()
server.close()

async function startRuns(name, store, onCall) {
  const runtime = await createRuntime(CONFIG, { plugins: [scriptedModel(onCall)], env: {}, ...(store && { store }) })
  let count = 0
  return { name, run: () => wholeRun(runtime, newTask(`run ${++count}`, STEPS)), close: () => runtime.close() }
}

async function startFloor() {
  const table = await openTable()
  const side = await startRuns('floor: in memory, with one insert a step', undefined, table.insert)
  return {
    ...side,
    async close() {
      await side.close()
      await table.close()
    },
  }
}

async function startInserts() {
  const { insert, close } = await openTable()
  return {
    name: `${STEPS} inserts alone`,
    async run() {
      for (let step = 0; step < STEPS; step++) await insert()
    },
    close,
  }
}

/** A table of steps, written over as many connections as runs are at work. */
async function openTable() {
  const pool = new Pool({ connectionString: server.newDatabase(), max: 8 })
  await pool.query('CREATE TABLE steps (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)')
  const text = 'INSERT INTO steps (body) VALUES ($1)'
  return {
    insert: () => pool.query({ name: 'step', text, values: [JSON.stringify({ text: newAnswer() })] }),
    close: () => pool.end(),
  }
}
