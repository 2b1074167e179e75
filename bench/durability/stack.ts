/**
 * The stack of `server/deploy/compose.yaml` without containers: servers, workers and PostgreSQL as processes with the same
 * environment, which are killed at random and started again, as an engine for containers does. Clients make runs over HTTP and
 * send again what got no answer, under the same `Idempotency-Key`. Each run that a server has taken must end with all of
 * its answers, and be there once.
 *
 * Usage, after `npm run build`: node --conditions=@svc/source --import tsx bench/durability/stack.ts [kills=60] [--seed N]
 *   [--servers 2] [--workers 3] [--database-kills 3]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { newTask, startCountingModel } from '../../plugins/test/fixtures/run-workers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    servers: { type: 'string', default: '2' },
    workers: { type: 'string', default: '3' },
    'database-kills': { type: 'string', default: '3' },
  },
})
const kills = Number(positionals[0] ?? 60)
const databaseKills = Number(values['database-kills'])
const [STEPS, CLIENTS] = [4, 4]
/** Milliseconds. */
const [MODEL, BETWEEN_KILLS, BETWEEN_RUNS, PATIENCE] = [150, 1_500, 400, 300_000]
const KEY = '0f3c9a51d2b84e7766a1c5e09b37d84f20a6f1be93c4d7581e6b2a907cd3f845'

let state = Number(values.seed)
/** From 0 up to 1, by the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return state / 2 ** 31
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const home = mkdtempSync(join(tmpdir(), 'svc-stack-'))
for (const name of ['project', 'data']) mkdirSync(join(home, name))
const database = await startPostgres([])
const model = await startCountingModel(MODEL)
const env = {
  PATH: process.env.PATH,
  HOME: home,
  NODE_ENV: 'production',
  NODE_OPTIONS: '--max-semi-space-size=64',
  SVC_DATABASE_URL: database.newDatabase(),
  SVC_STORE_SPACE: 'project',
  SVC_DATA_DIR: join(home, 'data'),
  SVC_MODEL: 'custom/small',
  SVC_MODEL_BASE_URL: model.url,
  SERVICE_API_KEY: KEY,
}
const svc = fileURLToPath(new URL('../../cli/bin/svc.js', import.meta.url))

/** A process that is started again whenever it ends, until the stack is stopped. */
interface Member {
  readonly args: readonly string[]
  child: ChildProcess
  starts: number
}
let isStopped = false
function keep(name: string, args: readonly string[]): Member {
  const log = openSync(join(home, `${name}.log`), 'a')
  const start = () =>
    spawn(process.execPath, [svc, ...args], { cwd: join(home, 'project'), env, stdio: ['ignore', log, log] })
  const member: Member = { args, child: start(), starts: 1 }
  const watch = (): void => {
    member.child.once('exit', (code) => {
      if (isStopped) return
      setTimeout(
        () => {
          member.child = start()
          member.starts++
          watch()
        },
        code === 5 ? 1_000 : 100,
      )
    })
  }
  watch()
  return member
}

const ports = Array.from({ length: Number(values.servers) }, () => 20_000 + Math.floor(Math.random() * 20_000))
const members = [
  ...ports.map((port, index) => keep(`server-${index}`, ['serve', '--port', String(port)])),
  ...Array.from({ length: Number(values.workers) }, (_, index) => keep(`worker-${index}`, ['worker'])),
]

/** Asks one server after the other until one answers. */
async function ask(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  for (const until = Date.now() + PATIENCE; ; await pause(300)) {
    const port = ports[Math.floor(Math.random() * ports.length)]
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...init.headers }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(60_000),
    }).catch((cause: unknown) => String(cause))
    if (typeof answer !== 'string' && answer.status < 500 && answer.status !== 429) {
      const body = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined
      if (body !== undefined && answer.ok) return body
      if (body !== undefined) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
    }
    if (Date.now() > until)
      throw new Error(`${path} got no answer: ${typeof answer === 'string' ? answer : answer.status}`)
  }
}

await ask('/v1/runs')
const begun = Date.now()
const taken = new Map<string, string>()
let [isMaking, made] = [true, 0]
async function makeRuns(): Promise<void> {
  while (isMaking) {
    const name = `run-${++made}`
    const { plan, tokenBudget, task } = newTask(name, STEPS)
    const body = JSON.stringify({ task, plan, tokenBudget })
    const { id } = await ask('/v1/runs', { method: 'POST', body, headers: { 'idempotency-key': `stack-${name}` } })
    taken.set(name, String(id))
    await pause(BETWEEN_RUNS * 2 * random())
  }
}
const making = Promise.all(Array.from({ length: CLIENTS }, makeRuns))

let killed = 0
let killedDatabase = 0
while (killed < kills) {
  await pause(BETWEEN_KILLS * 2 * random())
  const member = members[Math.floor(random() * members.length)]
  if (member?.child.kill('SIGKILL')) killed++
  if (killedDatabase < databaseKills && killed >= ((killedDatabase + 1) * kills) / (databaseKills + 1)) {
    killedDatabase++
    database.stop(true)
    await pause(3_000)
    database.start()
  }
}
isMaking = false
await making

const [lost, wrong, byStatus]: [string[], string[], Record<string, number>] = [[], [], {}]
const until = Date.now() + PATIENCE
for (const [name, id] of taken) {
  let run = await ask(`/v1/runs/${id}`)
  while (
    !['completed', 'failed', 'incomplete', 'cancelled', 'waiting'].includes(String(run.status)) &&
    Date.now() < until
  ) {
    await pause(500)
    run = await ask(`/v1/runs/${id}`)
  }
  const status = String(run.status)
  byStatus[status] = (byStatus[status] ?? 0) + 1
  if (status !== 'completed') lost.push(`${name} ${id} ${status}`)
  for (let step = 1; step <= STEPS; step++)
    if (!model.asked.includes(`<${name} step-${step}>`)) wrong.push(`${name} step-${step}`)
}
const all = Number(database.sql('SELECT count(*) FROM svc.runs', new URL(env.SVC_DATABASE_URL).pathname.slice(1)))
isStopped = true
for (const { child } of members) child.kill('SIGTERM')
await Promise.all(
  members.map(
    ({ child }) => child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once('exit', resolve)),
  ),
)
await model.close()
database.close()

const isWhole = lost.length === 0 && wrong.length === 0 && all === taken.size
const seconds = ((Date.now() - begun) / 1000).toFixed(0)
const [load = 0] = loadavg()
process.stdout.write(`${killed} kills of ${members.length} processes, ${killedDatabase} of PostgreSQL, ${seconds} s, seed ${values.seed}, load ${load.toFixed(0)}
runs taken ${taken.size}, in the store ${all}: ${JSON.stringify(byStatus)}
not completed: ${lost.join('; ') || 'none'}
steps without a model call: ${wrong.join('; ') || 'none'}
model calls ${model.asked.length} for ${taken.size * STEPS} steps; starts of processes ${members.map(({ starts }) => starts).join(', ')}
`)
if (isWhole) rmSync(home, { recursive: true, force: true })
else process.stdout.write(`logs: ${home}\n`)
process.exitCode = isWhole ? 0 : 1
