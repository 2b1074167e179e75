/** The server in the hands of programs that we did not write. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EventSource } from 'eventsource'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CuttingProxy, startCuttingProxy } from '../../plugins/test/fixtures/cutting-proxy.ts'
import { ask, openServer } from './fixtures/open-server.ts'

const test = suite('clients of others')

const task = 'What is 6 times 7?'
const KEY = 'a-key'
const folder = process.env.SVC_OPENAPI_CLIENT
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** Reads a stream to its end, over a connection that is cut again and again. */
function readAll(url: string): Promise<{ ids: number[]; types: string[]; tries: number }> {
  const ids: number[] = []
  const types: string[] = []
  let tries = 0
  return new Promise((done) => {
    const source = new EventSource(url, {
      fetch: (input, init) => {
        tries++
        return fetch(input, { ...init, headers: { ...init?.headers, 'x-api-key': KEY } })
      },
    })
    for (const type of [
      'run.created',
      'run.started',
      'stage.started',
      'stage.completed',
      'model.completed',
      'run.completed',
    ])
      source.addEventListener(type, ({ lastEventId }) => {
        ids.push(Number(lastEventId))
        types.push(type)
      })
    source.addEventListener('end', () => {
      source.close()
      done({ ids, types, tries })
    })
  })
}

test('EventSource reads every event once, in order, though each connection is cut after some kilobytes', async () => {
  const world = await openServer({ server: { keys: () => [KEY] } })
  const proxy: CuttingProxy = await startCuttingProxy(world.port)
  world.server.reload({ limits: { requestsPerMinute: 10_000 }, allowedHosts: [`127.0.0.1:${proxy.port}`] })
  const headers = { 'x-api-key': KEY }
  const { id } = (await world.ask('POST', '/v1/runs?wait=60000', { body: { task }, headers })).json
  const url = `http://127.0.0.1:${proxy.port}/v1/runs/${id}/events`
  const whole = await readAll(url)
  assert.is(whole.tries, 1)
  proxy.cutEach(() => 8_000)
  const pieces = await readAll(url)
  proxy.cutEach(undefined)
  assert.ok(proxy.cuts > 0 && pieces.tries > 1, `${proxy.cuts} cuts, ${pieces.tries} tries`)
  assert.equal(pieces.ids, whole.ids)
  assert.equal(pieces.types, whole.types)
  assert.is(whole.types.at(-1), 'run.completed')
  await proxy.close()
  await world.close()
})

const PYTHON = `
import http.client, json, sys
port, key = int(sys.argv[1]), sys.argv[2]
connection = http.client.HTTPConnection('127.0.0.1', port, timeout=120)
headers = {'Authorization': 'Bearer ' + key, 'Content-Type': 'application/json', 'Idempotency-Key': 'one'}
ids = []
for _ in range(2):
    connection.request('POST', '/v1/runs', json.dumps({'task': 'What is 6 times 7?'}), headers)
    answer = connection.getresponse()
    assert answer.status == 201, answer.status
    ids.append(json.loads(answer.read())['id'])
assert ids[0] == ids[1], ids
connection.request('GET', '/v1/runs/' + ids[0] + '/events', headers={**headers, 'Accept': 'text/event-stream'})
answer = connection.getresponse()
assert answer.getheader('content-type') == 'text/event-stream; charset=utf-8'
numbers, last = [], ''
for line in answer:
    text = line.decode().rstrip('\\n')
    if text.startswith('id: '): numbers.append(int(text[4:]))
    if text.startswith('event: '): last = text[7:]
assert numbers == list(range(1, len(numbers) + 1)), numbers
assert last == 'end', last
connection.request('GET', '/v1/runs/' + ids[0] + '/result', headers=headers)
print(json.loads(connection.getresponse().read())['summary'])
`

;(has('python3') ? test : test.skip)(
  'http.client of Python makes a run once, reads its stream, and reads its result',
  async () => {
    const world = await openServer({ server: { keys: () => [KEY] } })
    const child = spawn('python3', ['-c', PYTHON, String(world.port), KEY])
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    const code = await new Promise((done) => child.once('close', done))
    assert.is(code, 0, said)
    assert.is(said, 'The answer is 42.\n')
    await world.close()
  },
)

/** A program over types that were made from the document; wrong fields and paths must not compile. */
const PROGRAM = `
import createClient from 'openapi-fetch'
import type { paths } from './api.js'
const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: process.argv[2] ?? '', headers: { authorization: 'Bearer ${KEY}' } })
const made = await client.POST('/v1/runs', { params: { query: { wait: 60_000 } }, body: { task: '${task}', tags: ['a'] } })
if (made.data === undefined) throw new Error(made.error.code)
const read = await client.GET('/v1/runs/{id}', { params: { path: { id: made.data.id }, query: { include: ['result'] } } })
const status: 'completed' | string | undefined = read.data?.status
const missing = await client.GET('/v1/runs/{id}', { params: { path: { id: 'run_00000000000000000000000000' } } })
console.log(status, missing.error?.code, missing.response.status)
// @ts-expect-error a run has no such field
void read.data?.nothing
// @ts-expect-error a task is needed
if (false) await client.POST('/v1/runs', { body: {} })
// @ts-expect-error there is no such path
if (false) await client.GET('/v1/nothing')
`

const withFolder = folder === undefined ? test.skip : test
if (folder === undefined)
  console.log(
    'SVC_OPENAPI_CLIENT names no folder with openapi-typescript, openapi-fetch and typescript 5: no client is generated',
  )

withFolder('a client that openapi-typescript made compiles, and works', async () => {
  const world = await openServer({ server: { keys: () => [KEY] } })
  test.after(() => world.close())
  const made = mkdtempSync(join(resolve(folder ?? ''), 'client-'))
  const run = (program: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(join(resolve(folder ?? ''), 'node_modules/.bin', program), args, {
      cwd: made,
      encoding: 'utf8',
    })
    assert.is(status, 0, stdout + stderr)
    return stdout
  }
  writeFileSync(join(made, 'openapi.json'), (await ask(world.url, 'GET', '/openapi.json')).text)
  run('openapi-typescript', 'openapi.json', '-o', 'api.ts')
  writeFileSync(join(made, 'main.ts'), PROGRAM)
  writeFileSync(
    join(made, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        skipLibCheck: true,
        types: [],
        lib: ['es2022', 'dom', 'dom.iterable'],
      },
      include: ['*.ts', '*.d.ts'],
    }),
  )
  writeFileSync(join(made, 'package.json'), '{"type":"module"}')
  writeFileSync(join(made, 'process.d.ts'), 'declare const process: { argv: string[] }\n')
  run('tsc', '-p', '.')
  const child = spawn(process.execPath, ['main.js', world.url], { cwd: made })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  await new Promise((done) => child.once('close', done))
  assert.is(said, 'completed run_not_found 404\n')
  rmSync(made, { recursive: true })
})

test.run()
