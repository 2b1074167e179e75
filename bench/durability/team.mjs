/**
 * What a PostgreSQL is to a team: runs a second over several workers, what an idle worker asks, and how long people wait where
 * many runs are stored. Workers, database and who asks share this machine.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/durability/team.mjs [throughput] [idle] [stored]
 */
import { fork } from 'node:child_process'
import { createRuntime, PostgresStore } from '@svc/plugins'
import { argumentsFor } from '../../.tools/launch.ts'
import { startCuttingProxy } from '../../plugins/test/fixtures/cutting-proxy.ts'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { eventOf, newRow } from '../../plugins/test/fixtures/run-rows.ts'
import { median } from '../measure.mjs'
import { serverMs } from './server-ms.mjs'
import { CONFIG, newAnswer, newTask, scriptedModel } from './tasks.mjs'

const WARM_UP = 100
const RUNS = 300
const STORED = 100_000
const QUEUED = 10_000
const COPIES = 50
const IDLE_S = 60

const asked = process.argv.slice(2)
const say = (name, value) => console.log(name.padEnd(44), value)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

if (process.send !== undefined) await work(asked[0])
else await measure()

async function work(url) {
  const config = { ...CONFIG, store: { url, space: '/a' }, server: { limits: { runningRuns: 8 } } }
  await createRuntime(config, { plugins: [scriptedModel()], env: {} })
  process.on('disconnect', () => process.exit())
  process.send('ready')
}

async function measure() {
  const server = await startPostgres([])
  const parts = { throughput, idle, stored }
  for (const [name, part] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await part(server)
  server.close()
}

async function startWorker(url) {
  const args = argumentsFor(new URL(import.meta.url))
  const child = fork(args.at(-1), [url], { execArgv: args.slice(0, -1) })
  await new Promise((resolve) => child.once('message', resolve))
  return child
}

async function startAsking(url) {
  const config = { model: 'offline/offline', store: { url, space: '/a' }, server: { limits: { queuedRuns: 10_000 } } }
  return await createRuntime(config, { env: {}, claims: 'none' })
}

/** Runs of two model calls that are queued at once. */
async function throughput(server) {
  for (const count of [1, 2, 4]) {
    const url = server.newDatabase()
    const asking = await startAsking(url)
    const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url)))
    let made = 0
    const run = async (runs) => {
      await Promise.all(Array.from({ length: runs }, (_, n) => asking.runs.create(newTask(`run ${n}`, 2))))
      made += runs
      while ((await asking.runs.summary({ status: 'completed' })).total < made) await pause(50)
    }
    await run(WARM_UP)
    const cpu = () => [serverMs(server.pid()), workers.reduce((sum, { pid }) => sum + serverMs(pid), 0)]
    const [started, before] = [performance.now(), cpu()]
    await run(RUNS)
    const seconds = (performance.now() - started) / 1_000
    const [database, own] = cpu().map((ms, index) => ((ms - before[index]) / RUNS).toFixed(1))
    say(
      `runs a second, ${count} workers`,
      `${(RUNS / seconds).toFixed(1)}; CPU ms a run: database ${database}, workers ${own}`,
    )
    for (const worker of workers) worker.kill('SIGKILL')
    await asking.close()
  }
}

async function idle(server) {
  const proxy = await startCuttingProxy(server.port)
  const worker = await startWorker(server.newDatabase().replace(`:${server.port}/`, `:${proxy.port}/`))
  // DBOS looks for schedules once a second at first.
  await pause(35_000)
  const before = proxy.statements
  await pause(IDLE_S * 1_000)
  say('statements a second of an idle worker', ((proxy.statements - before) / IDLE_S).toFixed(2))
  worker.kill('SIGKILL')
  proxy.close()
}

/** Half of the runs are of another folder, which has 10,000 more in the queue. */
async function stored(server) {
  const url = server.newDatabase()
  const store = new PostgresStore({ url })
  await store.open()
  const create = (id, { task, ...more }) => {
    const row = newRow(id, { task, create: { task }, ...more })
    const ended = eventOf(id, { result: { summary: newAnswer() } }, 'run.completed')
    return store.create(row, more.status === undefined ? [] : [ended])
  }
  const made = Array.from({ length: STORED / COPIES }, (_, n) => {
    const task = `Count the lines of ${newAnswer()} with ${n === 777 ? 'words' : `word${n}x`}`
    return create(`run_${n}`, { status: 'completed', task, space: n % 2 === 0 ? '/a' : '/b' })
  })
  const queued = Array.from({ length: QUEUED / COPIES }, (_, n) => create(`run_q${n}`, { task: 'a task', space: '/b' }))
  await Promise.all([...made, ...queued])
  copyRuns(server, url.split('/').at(-1))
  await create('run_one', { status: 'completed', task: 'Count the lines with word77776x', space: '/a' })
  await store.close()
  for (const [name, place] of [
    [STORED, url],
    ['no', server.newDatabase()],
  ]) {
    const starts = []
    for (let n = 0; n < 4; n++) {
      const started = performance.now()
      const worker = await startWorker(place)
      starts.push(performance.now() - started)
      worker.kill('SIGKILL')
    }
    // The first makes the tables of what hands out runs.
    say(`start of a worker process beside ${name} runs, ms`, starts.slice(1).map(Math.round).join(', '))
  }
  const asking = await startAsking(url)
  const queries = {
    'list of 20': {},
    'list of 20 by status': { status: 'completed' },
    'search for what one run says': { q: 'word77776x' },
    'search for what all runs say': { q: 'count the' },
    'search for what none says': { q: 'no such words' },
  }
  for (const [name, query] of Object.entries(queries)) {
    const times = []
    for (let n = 0; n < 30; n++) {
      const begun = performance.now()
      await asking.runs.list({ limit: 20, ...query })
      times.push(performance.now() - begun)
    }
    say(`${name}, ms`, `${median(times).toFixed(1)}, at best ${Math.min(...times).toFixed(1)}`)
  }
  await asking.close()
}

/** Copies all runs until there are as many as are asked for: the rows that the store would have written, with other numbers. */
function copyRuns(server, database) {
  const tables = { runs: 'seq', run_requests: 'run', run_log: 'run', run_texts: 'run' }
  const copies = Object.entries(tables).map(([table, column]) => {
    const id = table === 'runs' ? ", 'id', t.id || '_' || k" : ''
    const changed = `jsonb_build_object('${column}', t.${column} + k * 100000${id})`
    return `INSERT INTO svc.${table} SELECT (jsonb_populate_record(t, ${changed})).* FROM svc.${table} AS t, generate_series(1, ${COPIES - 1}) AS k;`
  })
  const index = server.sql(`SELECT pg_get_indexdef('svc.run_requests_by_gram'::regclass)`, database)
  server.sql(
    `DROP INDEX svc.run_requests_by_gram; ${copies.join(' ')} ${index}; SELECT setval('svc.run_numbers', max(seq)) FROM svc.runs;`,
    database,
  )
}
