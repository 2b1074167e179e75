/**
 * What durability in the embedded store costs: processor time, time and bytes of a run of 20 steps with a scripted
 * model, one run at a time and eight at once.
 *
 * Floors: the same run in memory whose model calls each write one plain row, durably, through the same driver; and those
 * 20 inserts alone. Peer: LangGraph JS with its SQLite checkpointer, where it is asked for (`peer-langgraph.mjs`). All
 * sides take turns in one process.
 *
 * Usage: node bench/durability/embedded.mjs [--rounds 15] [--runs 16]
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRuntime, SqliteStore } from '@svc/plugins'
import { compareSides } from './compare.mjs'
import { createLangGraph } from './peer-langgraph.mjs'
import { CONFIG, newAnswer, newTask, scriptedModel, wholeRun } from './tasks.mjs'

const STEPS = 20
const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, runs: { type: 'string', default: '16' } },
})
const [ROUNDS, RUNS] = [Number(given.rounds), Number(given.runs)]

const dir = mkdtempSync(join(tmpdir(), 'svc-durability-'))
const sides = {
  embedded: await startEmbedded(),
  floor: await startFloor(),
  inserts: startInserts(),
  memory: await startInMemory(),
}
const peer = await createLangGraph({ file: join(dir, 'langgraph.db'), steps: STEPS })
if ('skipped' in peer) console.log(`LangGraph was not measured: ${peer.skipped}`)
else sides.langgraph = { file: join(dir, 'langgraph.db'), ...peer }

await compareSides({
  sides,
  steps: STEPS,
  rounds: ROUNDS,
  runs: RUNS,
  base: 'embedded',
  aims: { floor: 1.25 },
  meters: { 'written KB': () => bytesWritten() / 1024 },
})
console.log('')
for (const side of Object.values(sides)) {
  await side.close()
  if (side.file !== undefined) {
    const kept = statSync(side.file).size
    console.log(`${side.name.padEnd(42)} kept ${kilobytes(kept / side.count)} a run`)
  }
}
rmSync(dir, { recursive: true, force: true })

async function startEmbedded() {
  const file = join(dir, 'svc.db')
  const store = new SqliteStore({ file })
  const runtime = await createRuntime(CONFIG, { plugins: [scriptedModel()], env: {}, store })
  return { name: 'embedded store', file, ...runsOf(runtime) }
}

async function startInMemory() {
  const runtime = await createRuntime(CONFIG, { plugins: [scriptedModel()], env: {} })
  return { name: 'in memory', ...runsOf(runtime) }
}

async function startFloor() {
  const file = join(dir, 'floor.db')
  const table = openTable(file)
  const runtime = await createRuntime(CONFIG, { plugins: [scriptedModel(table.insert)], env: {} })
  const { run, close } = runsOf(runtime)
  return {
    name: 'floor: in memory, with one insert a step',
    file,
    run,
    async close() {
      await close()
      table.close()
    },
  }
}

function startInserts() {
  const file = join(dir, 'inserts.db')
  const table = openTable(file)
  return {
    name: `${STEPS} inserts alone`,
    file,
    async run() {
      for (let step = 0; step < STEPS; step++) {
        await undefined
        table.insert()
      }
    },
    close: table.close,
  }
}

function runsOf(runtime) {
  let count = 0
  return { run: () => wholeRun(runtime, newTask(`run ${++count}`, STEPS)), close: () => runtime.close() }
}

/** A table of steps in a file that is as durable as the store's. */
function openTable(file) {
  const Database = createRequire(new URL('../../plugins/package.json', import.meta.url))('libsql')
  const db = new Database(file)
  db.prepare('PRAGMA journal_mode=WAL').all()
  db.prepare('PRAGMA synchronous=FULL').all()
  db.exec('CREATE TABLE steps (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)')
  const statement = db.prepare('INSERT INTO steps (body) VALUES (?)')
  return {
    insert: () => void statement.run([JSON.stringify({ text: newAnswer() })]),
    close() {
      db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
      db.close()
    },
  }
}

/** What this process has written to files so far; 0 where the system does not say. */
function bytesWritten() {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`
}
