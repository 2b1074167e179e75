/** Commands with the runtime of a server: what a person sees is what an own runtime shows, and nothing is read or kept here. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import type { ModelServer } from './fixtures/model-server.ts'
import { callsOf, hanging, json, notesWorld, startNotesServer, task } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { addFiles, begin, makeWorld, type Outcome, type Running, type World } from './fixtures/world.ts'

const test = suite('svc --url')

const KEY = { SERVICE_API_KEY: 'right' }
let model: ModelServer
let there: World
let serving: Running
let url: string
/** A folder whose config cannot be read, so that a command that reads it fails. */
let here: World

async function serve(...flags: string[]): Promise<void> {
  serving = begin(there, ['serve', '-q', ...flags], { env: KEY })
  url = ''
  serving.child.stdout?.once('data', (text: string) => (url = text.trim()))
  await until(() => url !== '')
}

test.before(async () => {
  model = await startNotesServer()
  there = notesWorld(model)
  // The data folder stays the same when an agent is saved.
  addFiles(there.work, { '.svc/notes.txt': '' })
  here = makeWorld({ '.svcrc.json': '{ broken', 'svc.config.ts': 'throw new Error("read")' })
  await serve('--port', '0')
})
test.after(async () => {
  serving.child.kill('SIGKILL')
  await serving.outcome
  await model.close()
})

const remote = (args: readonly string[], input?: string): Promise<Outcome> =>
  svc(here, args, { env: { ...KEY, SVC_URL: url }, ...(input === undefined ? {} : { input }) })

const runThere = async (id: string): Promise<Run> => json<Run>(await svc(there, ['runs', 'get', id, '--json']))
test('the key may stand in a file, as a server has it, behind its name', async () => {
  const world = makeWorld({ keys: 'crew right\n', none: '\n' })
  const list = (env: Record<string, string>) =>
    svc(world, ['runs', 'list', '--json'], { env: { SVC_URL: url, ...env } })
  assert.is((await list({})).code, 4)
  assert.is((await list({ SERVICE_API_KEY_FILE: 'keys' })).code, 0)
  assert.is((await list({ SERVICE_API_KEY_FILE: 'none', ...KEY })).code, 0, 'the variable itself comes first')
  const { code, err } = await list({ SERVICE_API_KEY_FILE: 'none' })
  assert.is(code, 3)
  assert.match(err, /SERVICE_API_KEY_FILE: none holds no key/)
})

test('tasks, plans and lists print what an own runtime prints, and end as it ends', async () => {
  const orders = [
    task('WORD-same'),
    ['run', '--json', '--topology', 'SINGLE', 'How old is the crane? WORD-json'],
    ['plan', 'Compare the age of the crane, the bridge and the tower'],
    ['analyze', 'Compare the age of the crane, the bridge and the tower'],
    ['models'],
    ['tools'],
    ['agents', 'create', 'Reviewer'],
    ['agents', 'list'],
    ['memory', 'search', 'nothing of this kind'],
    ['approvals', 'list'],
    ['runs', 'get', 'run_01JZ4K0M6T8N2QW3E5R7Y9V1XA'],
    ['run', '--agent', 'nobody', 'x'],
    ['run', '--budget', '10', 'x'],
  ]
  const own = await each(notesWorld(model), orders)
  const over = await each(here, orders, { ...KEY, SVC_URL: url })
  const shown = ({ code, out }: Outcome): unknown => {
    return [code, out.startsWith('{') ? Object.keys(JSON.parse(out) as object) : out.replace(/svc-cli-\w+/g, '')]
  }
  for (const [index, order] of orders.entries())
    assert.equal(shown(over[index] as Outcome), shown(own[index] as Outcome), order.join(' '))
})

test('nothing of this folder is read, and nothing is kept in it or at home', async () => {
  const { code, err } = await remote(task('WORD-clean'))
  assert.is(code, 0)
  assert.not.match(err, /svcrc|svc\.config/)
  assert.not.ok(existsSync(join(here.home, '.local')))
  assert.equal(readdirSync(here.work).sort(), ['.git', '.svcrc.json', 'svc.config.ts'])
  assert.match((await svc(here, 'tools')).err, /svcrc|svc\.config/, 'an own runtime would have read it')
})

test('the key comes from SERVICE_API_KEY alone', async () => {
  for (const env of [{}, { SERVICE_API_KEY: 'wrong' }]) {
    const { code, out, err } = await svc(here, [...task('WORD-key'), '--url', url], { env })
    assert.equal([code, out], [4, ''])
    assert.match(err, /SERVICE_API_KEY.*\[unauthenticated\]/)
  }
  const inAddress = await svc(here, 'run --url http://user:right@127.0.0.1:4000 x')
  assert.is(inAddress.code, 2)
  assert.match(inAddress.err, /SERVICE_API_KEY/)
  assert.not.match(inAddress.err, /right/)
  assert.is((await svc(here, 'run --key right x')).code, 2)
})

test('--trace-hooks shows the taps of the server’s stages, which its log has', async () => {
  const { code, err } = await remote(['run', '--trace-hooks', ...task('WORD-taps').slice(1)])
  assert.is(code, 0, err)
  for (const stage of ['analyze', 'allocate', 'plan', 'execute', 'inspect'])
    assert.match(err, new RegExp(`^${stage}\\n {2}[a-z-]+ +[\\d.]+ ms {2}(answered|deferred|amended)`, 'm'))
  assert.match(err, /^PLUGIN +TAPS +TIME +SHARE +TOKENS +SHARE$/m)
  const [, id = ''] = /svc: (run_\w+)/.exec(err) ?? []
  const later = await remote(['runs', 'trace', id.slice(-6)])
  assert.is(later.code, 0, later.err)
  assert.ok(err.includes(later.out.trimEnd()), `${err}\n---\n${later.out}`)
})

test('what means nothing to a server is refused, and a server that is not there is exit code 5', async () => {
  for (const flags of [['--config', 'x'], ['--cwd', '.'], ['--trust'], ['--provider', 'mine']]) {
    const { code, err } = await remote(['run', 'x y', ...flags])
    assert.is(code, 2, flags.join(' '))
    assert.match(err, new RegExp(`${flags[0]} means nothing to the server that SVC_URL names`))
  }
  assert.is((await remote(['runs', 'import', '-'], '')).code, 2)
  assert.is((await svc(here, ['serve', '--url', url])).code, 2)
  assert.is((await svc(here, ['run', '--url', 'localhost:4000', 'x y'])).code, 2)
  const noId = await svc(here, ['runs', 'watch', 'x', '--url', url])
  assert.match(noId.err, `see svc runs list --url ${url}`, 'a hint is for the same server')
  const away = await svc(here, ['run', '--url', 'http://127.0.0.1:9', 'x y'])
  assert.is(away.code, 5)
  assert.match(away.err, /cannot be reached: .*\[connection_failed\]/)
})

test('Ctrl-C cancels the run on the server; SIGTERM leaves it', async () => {
  for (const [signal, code, status] of [
    ['SIGINT', 130, 'cancelled'],
    ['SIGTERM', 143, 'running'],
  ] as const) {
    const word = `WORD-${signal}`
    hanging.add(word)
    const running = begin(here, [...task(word), '--url', url], { env: KEY })
    const [, id = ''] = await running.says(/svc: (run_\w+)/)
    await until(() => callsOf(model, word)[1] > 0)
    running.child.kill(signal)
    const { code: ended, err } = await running.outcome
    assert.is(ended, code, err)
    assert.is((await runThere(id)).status, status)
    hanging.delete(word)
    if (signal === 'SIGINT') continue
    assert.match(err, new RegExp(`the server goes on with run ${id}: svc runs watch ${id} --url ${url} shows it`))
    await remote(['runs', 'cancel', id])
  }
})

test('a conversation, and what a run asks, over the server', async () => {
  const first = await remote(['chat'], 'How old is the crane? WORD-chat\n/cost\n')
  assert.is(first.code, 0, first.err)
  assert.match(first.out, /The crane is 40 years old \(WORD-chat\)\.\n1 turn/)
  const [, thread = ''] = /svc chat --thread (thr_\w+)/.exec(first.err) ?? []
  const second = await remote(['chat', '--thread', thread], 'And now? WORD-again\n')
  assert.is(second.code, 0, second.err)
  const list = json<{ data: Run[] }>(await remote(['runs', 'list', '--thread', thread, '--json']))
  assert.is(list.data.length, 2)
})

test('a server that is killed and started again in the middle of a run is waited for', async () => {
  hanging.add('WORD-restart')
  const running = begin(here, [...task('WORD-restart'), '--url', url], { env: KEY })
  await running.says(/svc: run_\w+/)
  await until(() => callsOf(model, 'WORD-restart')[1] > 0)
  serving.child.kill('SIGKILL')
  await serving.outcome
  hanging.delete('WORD-restart')
  await serve('--port', new URL(url).port)
  const { code, out, err } = await running.outcome
  assert.is(code, 0, err)
  assert.is(out, 'The crane is 40 years old (WORD-restart).\n')
})

test.run()
