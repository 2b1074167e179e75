/**
 * What a run costs where `svc serve` and `svc worker` are processes of their own, with the settings of the units: processor time of
 * each, of PostgreSQL too, memory, connections and disk, for a short run (one model call) and a longer one (four model calls, three
 * tool calls between them). The model answers over HTTP from this process, whose time is in no figure.
 *
 * Usage: node --conditions=@svc/source --import tsx bench/server/sizes.mjs [--runs 200] [--idleS 30] [--only sqlite|1|2|4]
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { serverMs } from '../durability/server-ms.mjs'
import { newAnswer } from '../durability/tasks.mjs'
import { numbersOf, withQuartiles } from '../measure.mjs'
import { closeIdle, send } from './fork-side.mjs'

const { runs, idleS, only } = numbersOf({ runs: 200, idleS: 30, only: -1 })
const SVC = fileURLToPath(new URL('../../cli/bin/svc.js', import.meta.url))
const Database = createRequire(new URL('../../plugins/package.json', import.meta.url))('libsql')
const CALLS = { short: 1, longer: 4 }
const ROUNDS = 5
const AT_ONCE = [25, 100, 200]
/** How long the model takes where runs are to be at work at once. */
const SLOW_MS = 3_000
const MB = 1e6
const ENDS = new Set(['completed', 'failed', 'incomplete', 'cancelled'])

const dir = mkdtempSync(join(tmpdir(), 'svc-sizes-'))
mkdirSync(join(dir, 'work'))
writeFileSync(join(dir, 'work/notes.md'), Array.from({ length: 25 }, newAnswer).join('\n'))
const model = await startModel()
const postgres = await startPostgres([])
const started = []
let made = 0
/** @param workers 0: one process over SQLite */
async function measure(workers) {
  const database = workers === 0 ? undefined : postgres.newDatabase()
  const file = join(dir, 'data', 'svc.db')
  const stack = await startStack(workers, database)
  const name = workers === 0 ? 'SQLite' : `PostgreSQL, server and ${workers} workers`
  const say = (what, value) => console.log(`${name}: ${what.padEnd(28)} ${value}`)
  const sql = (text) => postgres.sql(text, database.split('/').at(-1))
  const connections = () =>
    sql(`SELECT string_agg(n::text, ' + ' ORDER BY n DESC) FROM (SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name ^@ 'svc' GROUP BY application_name) AS a`)
  const cpu = () => ({
    ...Object.fromEntries(
      Object.entries(stack).map(([part, children]) => [part, sumOf(children, ({ pid }) => serverMs(pid))]),
    ),
    ...(database && { database: serverMs(postgres.pid()) }),
  })
  const batch = (kind, count, delayMs = 0) => {
    closeIdle()
    return Promise.all(Array.from({ length: count }, () => whole(stack.url, kind, delayMs)))
  }
  const disk = () => {
    if (database === undefined) return sizesOf(file)
    sql('VACUUM')
    const [svc, dbos, payloads, stored] =
      sql(`SELECT sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'svc'),
        sum(pg_total_relation_size(c.oid)) FILTER (WHERE n.nspname = 'svc_dbos'),
        (SELECT coalesce(sum(length(bytes)), 0) FROM svc.run_payloads), (SELECT count(*) FROM svc.runs)
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'm')`)
        .split('|')
        .map(Number)
    return { svc, dbos, payloads, stored }
  }

  await sleep(10_000)
  const before = cpu()
  await sleep(idleS * 1_000)
  say(
    'idle, CPU',
    table(cpu(), before, idleS * 10, (part) => ` % of a core (${part})`),
  )
  say('idle, memory', memory(stack))
  if (database) say('idle, connections', connections())

  for (const kind of Object.keys(CALLS)) {
    await batch(kind, 100)
    const empty = disk()
    const figures = []
    const begun = performance.now()
    for (let round = 0; round < ROUNDS; round++) {
      const at = cpu()
      for (let left = runs / ROUNDS; left > 0; left -= 20) await batch(kind, 20)
      const now = cpu()
      figures.push(
        Object.fromEntries(Object.entries(now).map(([part, ms]) => [part, ((ms - at[part]) * ROUNDS) / runs])),
      )
    }
    const minutes = (performance.now() - begun) / 60_000
    for (const part of Object.keys(figures[0]))
      say(`${kind}, CPU ms, ${part}`, withQuartiles(figures.map((all) => all[part])))
    say(`${kind}, runs a minute`, (runs / minutes).toFixed(0))
    const full = disk()
    const count = full.stored - empty.stored
    for (const part of Object.keys(full).filter((part) => part !== 'stored'))
      say(`${kind}, bytes a run, ${part}`, ((full[part] - empty[part]) / count).toFixed(0))
  }

  for (const atOnce of AT_ONCE) {
    for (const { pid } of processes(stack)) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const at = cpu()
    const work = batch('longer', atOnce, SLOW_MS)
    await sleep(2 * SLOW_MS)
    const seen = database && connections()
    await work
    say(`${atOnce} at once, most memory`, memory(stack, 'VmHWM'))
    say(
      `${atOnce} at once, CPU a run`,
      table(cpu(), at, atOnce, (part) => ` ms (${part})`),
    )
    if (database) say(`${atOnce} at once, connections`, seen)
  }
  for (const { pid } of processes(stack)) process.kill(pid, 'SIGTERM')
  await Promise.all(processes(stack).map((child) => new Promise((resolve) => child.once('exit', resolve))))
}

async function startStack(workers, database) {
  const config = join(dir, 'svc.config.json')
  const limits = { runningRuns: 200 / Math.max(1, workers), queuedRuns: 10_000, requestsPerMinute: 1e6 }
  writeFileSync(config, JSON.stringify({ model: 'openai/gpt-4o-mini', server: { limits } }))
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    NODE_ENV: 'production',
    NODE_OPTIONS: '--max-semi-space-size=64',
    SVC_LOG_FORMAT: 'json',
    SVC_CONFIG: config,
    SVC_DATA_DIR: join(dir, 'data'),
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: model,
    ...(database && { SVC_DATABASE_URL: database }),
  }
  const start = (args) => {
    const child = spawn(process.execPath, [SVC, ...args], {
      cwd: join(dir, 'work'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.push(child)
    child.stdout.resume()
    return child
  }
  const server = start(['serve', '--port', '0', ...(database ? ['--no-work'] : [])])
  const url = await said(server, /listening on (http:\S+?);/)
  const own = Array.from({ length: workers }, () => start(['worker']))
  await Promise.all(own.map((child) => said(child, /(waiting for runs)/)))
  return Object.defineProperty({ server: [server], ...(workers > 0 && { workers: own }) }, 'url', { value: url })
}

/** Waits for what a process says on standard error, and reads on. */
const said = (child, what) =>
  new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', () => reject(new Error(text)))
    child.stderr.on('data', (chunk) => {
      if (text.length < 10_000) text += chunk
      const found = what.exec(text)
      if (found) resolve(found[1])
    })
  })

async function whole(url, kind, delayMs) {
  const task = `Say what the notes say of page ${++made}: calls ${CALLS[kind]}, delay ${delayMs}.`
  let { id, status } = JSON.parse(await send(`${url}/v1/runs`, { task }))
  // A busy machine may take longer than one wait.
  for (let waits = 0; !ENDS.has(status) && waits < 10; waits++)
    status = JSON.parse(await send(`${url}/v1/runs/${id}?wait=60000`)).status
  if (status !== 'completed') throw new Error(`run ${id} is ${status}`)
}

const processes = ({ server, workers = [] }) => [...server, ...workers]
const sumOf = (list, of) => list.reduce((sum, item) => sum + of(item), 0)
const memory = (stack, field = 'VmRSS') =>
  Object.entries(stack)
    .map(([part, children]) => {
      const sizes = children.map(({ pid }) => readFileSync(`/proc/${pid}/status`, 'utf8'))
      const each = sizes.map((text) =>
        ((Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1_024) / MB).toFixed(0),
      )
      return `${each.join(', ')} MB (${part})`
    })
    .join(', ')
const table = (now, before, by, unitOf) =>
  Object.entries(now)
    .map(([part, ms]) => `${((ms - before[part]) / by).toFixed(2)}${unitOf(part)}`)
    .join(', ')

function sizesOf(file) {
  const db = new Database(file)
  db.exec('PRAGMA busy_timeout = 10000; PRAGMA wal_checkpoint(TRUNCATE)')
  const { free } = db
    .prepare('SELECT freelist_count * (SELECT page_size FROM pragma_page_size) AS free FROM pragma_freelist_count')
    .get()
  const { payloads } = db.prepare('SELECT coalesce(sum(length(bytes)), 0) AS payloads FROM run_payloads').get()
  const { stored } = db.prepare('SELECT count(*) AS stored FROM runs').get()
  db.close()
  return { file: statSync(file).size - free, payloads, stored }
}

/** Answers as often with a call of `read_file` as the task says, then with a text. @returns its address */
async function startModel() {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { messages = [], tools = [], model: name } = JSON.parse(text || '{}')
    const task = messages.findLast(({ content }) => /calls \d+, delay/.test(JSON.stringify(content)))?.content ?? ''
    const [, calls = 1, delay = 0] = /.*calls (\d+), delay (\d+)/s.exec(JSON.stringify(task)) ?? []
    const done = messages.filter(({ role }) => role === 'tool').length
    const isCall = tools.length > 0 && done < calls - 1
    const call = {
      index: 0,
      id: `call_${done}`,
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"notes.md"}' },
    }
    const delta = { role: 'assistant', ...(isCall ? { tool_calls: [call] } : { content: newAnswer() }) }
    const usage = { prompt_tokens: 600, completion_tokens: 60, total_tokens: 660 }
    const chunk = (choices, more) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: name, choices, ...more })}\n\n`
    await sleep(Number(delay))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `${chunk([{ index: 0, delta, finish_reason: null }])}${chunk([{ index: 0, delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }])}${chunk([], { usage })}data: [DONE]\n\n`,
    )
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${server.address().port}/v1`
}

try {
  for (const workers of [0, 1, 2, 4]) if (only < 0 || only === workers) await measure(workers)
} finally {
  for (const child of started) child.kill('SIGKILL')
  postgres.close()
  rmSync(dir, { recursive: true, force: true })
}
process.exit()
