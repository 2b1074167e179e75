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
const AT_ONCE = 2_000
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
  const fill = async (count, make) => {
    for (let from = 0; from < count; from += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => make(from + n)))
  }
  await fill(STORED, (n) => {
    const task = `Count the lines of ${newAnswer()} with word${n}x`
    const row = newRow(`run_${n}`, { status: 'completed', task, space: n % 2 === 0 ? '/a' : '/b', create: { task } })
    return store.create(row, [eventOf(row.id, { result: { summary: newAnswer() } }, 'run.completed')])
  })
  await fill(10_000, (n) => store.create(newRow(`run_q${n}`, { space: '/b' }), []))
  await store.close()
  const started = performance.now()
  const asking = await startAsking(url)
  say(`start beside ${STORED} runs, ms`, Math.round(performance.now() - started))
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
