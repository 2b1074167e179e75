/**
 * What a durable run of two model calls and a tool call between them costs in statements, transactions and bytes, and in
 * processor time beside its floor: the same calls on the plain `openai` package, with one transaction an effect, three a run.
 *
 * One process, the model in a child process, all sides in turn, one at a time and a hundred at once. A third side is LangGraph
 * with its checkpointer and the same calls in three nodes, where it is asked for (`peer-langgraph.mjs`). Counted are the statements that the driver is handed, without `BEGIN` and `COMMIT`, and without the polling of the store.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/effects.mjs [--warmUp 600] [--rounds 15] [--runs 40]
 *   [--postgres 1] [--remember 1] [--show 1]
 *
 * `--postgres 1` starts a server of its own; `--remember 1` keeps memories, as the command line does; `--show 1` prints the
 * statements of one run. The syncs of SQLite, by the system's count: `strace -f -c -e trace=fsync,fdatasync` before it, with
 * `--rounds 0 --counted 200`, and again without `--counted 200`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadPg } from '../../plugins/src/stores/postgres/load-pg.ts'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { cpuOf, median, numbersOf, withQuartiles } from '../measure.mjs'
import { startMockServer } from '../mock-server.mjs'
import { createByHand, MODEL, tasks } from '../overhead-tasks.mjs'
import { create } from '../peer-runner.mjs'
import { createLangGraph } from './peer-langgraph.mjs'
import { repeat } from './tasks.mjs'

const given = numbersOf({ warmUp: 600, rounds: 15, runs: 40, counted: 100, postgres: 0, remember: 0, show: 0 })
const CROWD = 100
const POLLING = /data_version|svc-look|svc-sweep|svc-owners|svc-ticket|dbos/

const Database = createRequire(new URL('../../plugins/package.json', import.meta.url))('libsql')
const seen = []
const dir = mkdtempSync(join(tmpdir(), 'svc-effects-'))
const server = given.postgres === 0 ? undefined : await startPostgres([])
const model = await startMockServer()
const floor = await (server === undefined ? openSqliteFloor() : openPostgresFloor())
countStatements()
const svc = await create({
  baseURL: model.baseURL,
  apiKey: 'none',
  model: MODEL,
  tasks,
  variant: server === undefined ? 'sqlite' : 'pg',
  workDir: dir,
  settings: { persistSessions: given.remember !== 0 },
  env: server === undefined ? {} : { BENCH_PG: server.newDatabase() },
})
const hand = createByHand(model.baseURL)
const peerPlace = server === undefined ? { file: join(dir, 'langgraph.db') } : { url: server.newDatabase() }
const peer = await createLangGraph({ ...peerPlace, steps: 3, next: (said) => hand.next(said) })
if ('skipped' in peer) console.log(`LangGraph was not measured: ${peer.skipped}`)
let id = 0
const sides = {
  svc: () => svc.single(++id),
  floor: async () => {
    const key = ++id
    await floor.effect({ key, asked: tasks.single.user(key) })
    const answer = hand.single(key)
    await floor.effect({ key, answer: 'The value' })
    await floor.effect({ key, answer: await answer })
  },
  ...(!('skipped' in peer) && {
    [peer.name]: () =>
      peer.run([
        { role: 'system', content: tasks.single.system },
        { role: 'user', content: tasks.single.user(tasks.key(++id)) },
      ]),
  }),
}

try {
  for (const side of Object.values(sides)) await repeat(given.warmUp, 1, side)
  if (given.counted > 0) await count()
  for (const [atOnce, runs] of [
    [1, given.runs],
    [CROWD, CROWD * 2],
  ])
    if (given.rounds > 0) await compare(atOnce, runs)
} finally {
  await svc.close()
  await floor.close()
  if (!('skipped' in peer)) await peer.close()
  model.stop()
  server?.close()
  rmSync(dir, { recursive: true, force: true })
}

/** Counts of one run, as a mean over many: what was written once in a while is in it too. */
async function count() {
  seen.length = 0
  const [bytes, syncs] = [written(), await syncsOf()]
  await repeat(given.counted, 1, sides.svc)
  const asked = seen.filter((text) => !POLLING.test(text))
  const statements = asked.filter((text) => !/^(?:BEGIN|COMMIT)/.test(text.trim()))
  const transactions = asked.filter((text) => text.startsWith('COMMIT')).length
  const shown = (total) => (total / given.counted).toFixed(1)
  console.log(`a run of two model calls, mean of ${given.counted} runs one at a time`)
  console.log(`statements      ${shown(statements.length)}`)
  if (server === undefined) console.log(`transactions    ${shown(transactions)}`)
  else console.log(`log syncs       ${shown((await syncsOf()) - syncs)}`)
  console.log(`written KB      ${shown((written() - bytes) / 1024)}`)
  if (given.show === 0) return
  seen.length = 0
  await sides.svc()
  for (const text of seen) console.log(`  ${text.replace(/\s+/g, ' ').slice(0, 110)}`)
}

/** All sides in turn. */
async function compare(atOnce, runs) {
  const figures = Object.fromEntries(Object.keys(sides).map((name) => [name, { cpu: [], time: [], kilobytes: [] }]))
  for (let round = -2; round < given.rounds; round++) {
    for (const [name, side] of round % 2 === 0 ? Object.entries(sides) : Object.entries(sides).reverse()) {
      globalThis.gc?.()
      const [bytes, started] = [written(), performance.now()]
      const cpu = await cpuOf(() => repeat(runs, atOnce, side))
      if (round < 0) continue
      figures[name].cpu.push(cpu / 1_000 / runs)
      figures[name].time.push((performance.now() - started) / runs)
      figures[name].kilobytes.push((written() - bytes) / 1_024 / runs)
    }
  }
  console.log(`\n${atOnce} at once, ${given.rounds} rounds of ${runs} runs, a run: medians (quartiles)`)
  for (const [name, { cpu, time, kilobytes }] of Object.entries(figures))
    console.log(
      `${name.padEnd(18)} CPU ms ${withQuartiles(cpu)}  ms ${withQuartiles(time)}  written KB ${median(kilobytes).toFixed(0)}`,
    )
  for (const [name, other] of Object.entries(figures).slice(1)) {
    const over = (figure) => withQuartiles(figures.svc[figure].map((value, round) => value / other[figure][round]))
    console.log(`svc / ${name.padEnd(12)} CPU ${over('cpu')}  time ${over('time')}`)
  }
}

/** Notes each statement that the driver is handed. */
function countStatements() {
  if (server !== undefined) {
    loadPg().then(({ Client }) => {
      const { query } = Client.prototype
      Client.prototype.query = function (asked, ...rest) {
        seen.push(typeof asked === 'string' ? asked : `${asked.name ?? ''} ${asked.text}`)
        return query.call(this, asked, ...rest)
      }
    })
    return
  }
  const { prototype } = Database
  const { prepare, exec } = prototype
  prototype.exec = function (sql) {
    seen.push(sql)
    return exec.call(this, sql)
  }
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    for (const name of ['run', 'get', 'all']) {
      const native = statement[name]
      statement[name] = function (...values) {
        seen.push(sql)
        return native.apply(this, values)
      }
    }
    return statement
  }
}

function openSqliteFloor() {
  const db = new Database(join(dir, 'floor.db'))
  db.prepare('PRAGMA journal_mode=WAL').all()
  db.prepare('PRAGMA synchronous=FULL').all()
  db.exec('CREATE TABLE effects (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)')
  const insert = db.prepare('INSERT INTO effects (body) VALUES (?)')
  return {
    effect: async (value) => void insert.run([JSON.stringify(value)]),
    close: () => db.close(),
  }
}

async function openPostgresFloor() {
  const { Pool } = await loadPg()
  const pool = new Pool({ connectionString: server.newDatabase(), max: 8 })
  await pool.query('CREATE TABLE effects (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)')
  const text = 'INSERT INTO effects (body) VALUES ($1)'
  return {
    effect: (value) => pool.query({ name: 'effect', text, values: [JSON.stringify(value)] }),
    close: () => pool.end(),
  }
}

/** Bytes written so far: by this process to files, or by the database to its log. */
function written() {
  if (server !== undefined) return Number(server.sql("SELECT pg_current_wal_lsn() - '0/0'"))
  return Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0)
}

async function syncsOf() {
  if (server === undefined) return 0
  // Each process of the database says what it has done ten seconds after it became idle at the latest.
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  return Number(server.sql('SELECT wal_sync FROM pg_stat_wal'))
}
