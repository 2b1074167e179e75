/** Keys of a server as a process: its own key in the data folder, and the file of keys. */

import { execFile as execFileWithCallback } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { svc } from './fixtures/svc.ts'
import { begin, makeWorld, type Running, type World } from './fixtures/world.ts'

const test = suite('keys of svc serve')
const execFile = promisify(execFileWithCallback)

const CI = `${'c'.repeat(10)}aB3-dE6_gH9kLmNoPqRsTuVwX`
const NEW = `${'n'.repeat(10)}aB3-dE6_gH9kLmNoPqRsTuVwX`
const running: Running[] = []
test.after.each(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL')
    await one.outcome
  }
})

async function serve(world: World, env: Record<string, string> = {}): Promise<{ url: string; serving: Running }> {
  const serving = begin(world, 'serve --port 0', { env })
  running.push(serving)
  const [, url = ''] = await serving.says(/svc: listening on (http:[^;]+);/)
  return { url, serving }
}

const dataOf = (world: World): string => join(world.work, 'data')
const inData = (world: World, env: Record<string, string> = {}) => ({ SVC_DATA_DIR: dataOf(world), ...env })
const keyIn = (world: World): string => readFileSync(join(dataOf(world), 'server.key'), 'utf8').trim()
const ask = (url: string, key: string | undefined, path = '/v1/runs', method = 'GET') =>
  fetch(url + path, { method, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })

test('a server without keys writes a key for its person alone, a new one at each start, and none of it is in what it prints', async () => {
  const world = makeWorld()
  const { url, serving } = await serve(world, inData(world))
  const key = keyIn(world)
  assert.match(key, /^[\w-]{43}$/)
  assert.is(lstatSync(join(dataOf(world), 'server.key')).mode & 0o777, 0o600)
  assert.is((await ask(url, undefined)).status, 200)
  assert.is((await ask(url, undefined, '/v1/memory/mem_00000000000000000000000000', 'DELETE')).status, 401)
  assert.is((await ask(url, key, '/v1/memory/mem_00000000000000000000000000', 'DELETE')).status, 404)
  assert.is((await ask(url, `${key.slice(1)}A`)).status, 401)
  // Another server of the same folder writes its own: both take it, and what the first one gave out stays good.
  const second = await serve(world, inData(world))
  assert.is.not(keyIn(world), key)
  for (const [at, good] of [
    [url, key],
    [url, keyIn(world)],
    [second.url, keyIn(world)],
  ] as const)
    assert.is((await ask(at, good)).status, 200)
  assert.is((await ask(second.url, key)).status, 401)
  serving.child.kill('SIGTERM')
  const { out, err } = await serving.outcome
  assert.not.ok(`${out}${err}`.includes(key))
  const [, link = ''] = /open (http:\S+)/.exec(err) ?? []
  assert.match(link, /\/console\/#code=[\w-]{22}$/)
})

test("clients of the person find the key by themselves: the command line, the SDK's, and no one who only claims to be the server", async () => {
  const world = makeWorld()
  const { url } = await serve(world, inData(world))
  const elsewhere = makeWorld()
  const added = await svc(elsewhere, ['memory', 'add', 'The crane is violet.', '--url', url])
  assert.is(added.code, 0, added.err)
  const client = await createClient({ serverUrl: url, env: {} })
  const { id } = await client.writeMemory({ content: 'The bridge is green.' })
  assert.ok(id)
  await client.disconnect()
  const env = { SERVICE_API_KEY: 'something-else' }
  assert.is((await svc(elsewhere, ['memory', 'list', '--url', url], { env })).code, 4)
})

test('a file of another name, of other rights, or of a server that does not know the key leads to no key', async () => {
  const { createServer } = await import('node:http')
  const world = makeWorld()
  await serve(world, inData(world))
  const file = join(dataOf(world), 'server.key')
  const seen: (string | undefined)[] = []
  let challenge = ''
  const impostor = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    response.writeHead(401, { 'www-authenticate': challenge }).end('{}')
  })
  await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve))
  const address = impostor.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  writeFileSync(join(world.work, 'id_rsa'), `${'k'.repeat(43)}\n`, { mode: 0o600 })
  for (const name of [file, join(world.work, 'id_rsa'), '/etc/passwd', 'server.key', '/nowhere/server.key']) {
    challenge = `Bearer, SvcLocalKey file="${encodeURIComponent(name)}", proof="${'0'.repeat(64)}"`
    assert.is((await svc(makeWorld(), ['memory', 'list', '--url', url])).code, 4, name)
  }
  assert.equal([...new Set(seen)], [undefined])
  await new Promise((resolve) => impostor.close(resolve))
})

test('who listens at another address of the same port and asks the server for its proof gets no key', async () => {
  const { createServer } = await import('node:http')
  const world = makeWorld()
  const { url } = await serve(world, inData(world))
  const { port } = new URL(url)
  const seen: (string | undefined)[] = []
  const relay = createServer(async ({ headers, method = 'GET', url: path = '/' }, response) => {
    seen.push(headers.authorization)
    const sent = { 'svc-challenge': String(headers['svc-challenge']), 'content-type': 'application/json' }
    const body = method === 'POST' ? '{"content":"x"}' : null
    const { status, headers: answered } = await fetch(url + path, { method, headers: sent, body })
    response.writeHead(status, { 'www-authenticate': answered.get('www-authenticate') ?? '' }).end('{}')
  })
  await new Promise<void>((resolve) => relay.listen(Number(port), '127.0.0.2', resolve))
  const there = `http://127.0.0.2:${port}`
  assert.is((await svc(makeWorld(), ['memory', 'add', 'The crane is old.', '--url', there])).code, 4)
  // The name of this machine may lead to two addresses, and the other one may be somebody else's.
  let isMisled = true
  const misled: typeof fetch = (input, init) =>
    fetch(String(input).replace('localhost', isMisled ? '127.0.0.2' : '127.0.0.1'), init)
  const client = await createClient({ serverUrl: `http://localhost:${port}`, env: {}, maxRetries: 0, fetch: misled })
  isMisled = false
  await client.writeMemory({ content: 'The bridge is green.' })
  isMisled = true
  await client.writeMemory({ content: 'The tower is red.' })
  await client.disconnect()
  const python = `
import svc, sys
for address in sys.argv[1:]:
    with svc.ServiceClient(address, max_retries=0) as client:
        try:
            client.memory.write("The lake is deep.")
            print("added")
        except svc.AuthenticationError:
            print("refused")
`
  const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../python/src'), SERVICE_API_KEY: '' }
  const { stdout } = await execFile('python3', ['-c', python, there, `http://localhost:${port}`], { env })
  assert.equal(stdout.split('\n'), ['refused', 'added', ''])
  assert.ok(seen.length >= 2, 'the relay was asked')
  assert.equal([...new Set(seen)], [undefined])
  await new Promise((resolve) => relay.close(resolve))
})

test('the tools of a run read and write no key, by whatever name, where the data folder is in the workspace', async () => {
  const world = makeWorld()
  const keys = join(world.work, 'keys.json')
  writeFileSync(keys, JSON.stringify({ keys: [{ name: 'ci', key: CI, scopes: ['submit'] }] }), { mode: 0o600 })
  const { url } = await serve(world, inData(world))
  assert.is((await ask(url, undefined)).status, 200)
  const key = keyIn(world)
  const names = [
    'data/server.key',
    './data/../data/server.key',
    'link',
    'hard',
    'keys.json',
    join(dataOf(world), 'server.key'),
  ]
  symlinkSync(join(dataOf(world), 'server.key'), join(world.work, 'link'))
  linkSync(join(dataOf(world), 'server.key'), join(world.work, 'hard'))
  const env = { SERVICE_API_KEYS_FILE: keys }
  for (const name of names) {
    const read = await svc(world, ['run', '--json', '--file', 'notes.md', `Say what ${name} says`], {
      env: inData(world, env),
    })
    assert.not.ok(`${read.out}${read.err}`.includes(key), name)
    const sent = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task: 'Say it', files: [name] }),
    })
    if (name !== 'keys.json') assert.is(sent.status, 403, `${name}: ${await sent.text()}`)
  }
})

test('keys of the file are for what it says, and a new version of it is taken without a signal', async () => {
  const world = makeWorld()
  const file = join(world.work, 'keys.json')
  const write = (value: unknown, mode = 0o600): void => {
    writeFileSync(`${file}.new`, typeof value === 'string' ? value : JSON.stringify(value))
    chmodSync(`${file}.new`, mode)
    renameSync(`${file}.new`, file)
  }
  write({ keys: [{ name: 'ci', key: CI, scopes: ['submit'] }] })
  const { url, serving } = await serve(world, inData(world, { SERVICE_API_KEYS_FILE: file }))
  assert.not.ok(existsSync(join(dataOf(world), 'server.key')), 'a server with keys needs none')
  assert.equal(
    [(await ask(url, undefined)).status, (await ask(url, CI)).status, (await ask(url, CI, '/v1/inspect')).status],
    [401, 200, 403],
  )
  for (const broken of ['{ not json', { keys: [] }, { keys: [{ name: 'ci', key: 'short', scopes: ['submit'] }] }]) {
    write(broken)
    await until(async () => (await ask(url, CI)).status === 200)
    await serving.says(/the keys stay as they were/)
  }
  write({ keys: [{ name: 'new', key: NEW, scopes: ['admin'] }] })
  await until(async () => (await ask(url, NEW, '/v1/inspect')).status === 200)
  assert.is((await ask(url, CI)).status, 401)
  serving.child.kill('SIGTERM')
  const { err } = await serving.outcome
  for (const secret of [CI, NEW, 'short', 'not json']) assert.not.ok(err.includes(secret), secret)
  assert.match(err, /"caller":"ci"/)
})

test('what is wrong with a file of keys is said, and no server starts', async () => {
  const world = makeWorld()
  const file = join(world.work, 'keys.json')
  const of = (...keys: object[]): string => JSON.stringify({ keys })
  const good = { name: 'ci', key: CI, scopes: ['submit'] }
  for (const [content, said, mode = 0o600] of [
    ['{', /is not JSON/],
    [of(), /\/keys/],
    [of({ ...good, scopes: ['all'] }), /\/keys\/0\/scopes/],
    [of({ ...good, extra: 1 }), /extra/],
    [of({ ...good, name: 'owner' }), /must not be "owner"/],
    [of(good, { ...good, key: NEW }), /"ci" is there twice/],
    [of(good, { ...good, name: 'other' }), /key of "other" is there twice/],
    [of({ ...good, key: 'abcdef0123456789' }), /64 bits.*128/],
    [of({ ...good, key: 'ab'.repeat(40) }), /repeats itself/],
    [of(good), /others than user \d+ can read or change it: .*chmod 600/, 0o640],
  ] as [string, RegExp, number?][]) {
    writeFileSync(file, content)
    chmodSync(file, mode)
    const { code, err } = await svc(world, ['serve', '--port', '0'], {
      env: inData(world, { SERVICE_API_KEYS_FILE: file }),
    })
    assert.is(code, 3, content)
    assert.match(err, said)
    assert.not.ok(err.includes(CI) || err.includes('abcdef0123456789'), err)
  }
  const missing = await svc(world, ['serve', '--port', '0'], {
    env: { SERVICE_API_KEYS_FILE: join(world.work, 'none') },
  })
  assert.is(missing.code, 3)
})

test('an owner whose key can be guessed gets a warning, and goes on', async () => {
  const world = makeWorld()
  const { url, serving } = await serve(world, inData(world, { SERVICE_API_KEY: 'sesame' }))
  assert.is((await ask(url, 'sesame')).status, 200)
  serving.child.kill('SIGTERM')
  const { err } = await serving.outcome
  assert.match(err, /a key of SERVICE_API_KEY can be guessed: it has at most 28 bits \(6 characters out of 26\)/)
  assert.not.match(err, /sesame/)
})

test.run()
