/** The service as a process: its address, its key, its end. */

import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { callsOf, hanging, notesWorld, startNotesServer } from './fixtures/notes.ts'
import { svc } from './fixtures/svc.ts'
import { atTerminal, hasTerminal } from './fixtures/terminal.ts'
import { begin, makeWorld } from './fixtures/world.ts'

const test = suite('svc serve')

const server = await startNotesServer()

const json = { 'content-type': 'application/json' }
const bodyOf = (word: string): string => JSON.stringify({ task: `How old is the crane? ${word}`, topology: 'SINGLE' })

async function urlOf(running: ReturnType<typeof begin>): Promise<string> {
  const [, url = ''] = await running.says(/svc: listening on (http:[^;]+);/)
  return url
}

test('it serves runs, and at SIGTERM what runs ends, and is answered', async () => {
  const here = notesWorld(server)
  const running = begin(here, 'serve --port 0')
  const url = await urlOf(running)
  assert.is((await fetch(`${url}/health`)).status, 200)
  hanging.add('WORD-serve')
  const answer = fetch(`${url}/v1/runs?wait=60000`, {
    method: 'POST',
    headers: json,
    body: bodyOf('WORD-serve'),
  }).catch(() => undefined)
  await until(() => callsOf(server, 'WORD-serve')[1] > 0)
  running.child.kill('SIGTERM')
  await running.says(/stopped by SIGTERM/)
  const refused = await fetch(`${url}/v1/runs`, { method: 'POST', headers: json, body: bodyOf('WORD-late') })
  assert.is(refused.status, 503)
  assert.equal(callsOf(server, 'WORD-late'), [0, 0])
  running.child.kill('SIGTERM')
  assert.is((await running.outcome).code, 143)
  await answer
  const list = await svc(here, 'runs list --json')
  assert.is((JSON.parse(list.out) as { data: unknown[] }).data.length, 1, 'the run is there to go on')
})

for (const [how, args, env] of [
  ['--no-work', 'serve --port 0 --no-work', {}],
  ['its variable', 'serve --port 0', { SVC_SERVER_WORK: 'false' }],
] as const)
  test(`with ${how} it takes runs in and works on none, which a worker does`, async () => {
    const here = notesWorld(server)
    const running = begin(here, args, { env })
    const url = await urlOf(running)
    await running.says(/works on no runs: svc worker/)
    const word = how === '--no-work' ? 'WORD-flag' : 'WORD-variable'
    const made = await fetch(`${url}/v1/runs`, { method: 'POST', headers: json, body: bodyOf(word) })
    const { id } = (await made.json()) as { id: string }
    const waited = (await (await fetch(`${url}/v1/runs/${id}?wait=500`)).json()) as { status: string }
    assert.is(waited.status, 'queued')
    assert.equal(callsOf(server, word), [0, 0])
    const answer = fetch(`${url}/v1/runs?wait=60000`, { method: 'POST', headers: json, body: bodyOf(`${word}2`) })
    const worker = begin(here, 'worker')
    assert.is(((await (await answer).json()) as { status: string }).status, 'completed')
    const list = await svc(here, 'runs list --json')
    await until(async () => (await (await fetch(`${url}/v1/runs/${id}`)).text()).includes('"status":"completed"'))
    assert.is((JSON.parse(list.out) as { data: unknown[] }).data.length, 2)
    for (const one of [worker, running]) {
      one.child.kill('SIGTERM')
      assert.is((await one.outcome).code, 143)
    }
  })

test('a server that works on no runs is refused where its runs are in its own memory', async () => {
  const here = notesWorld(server, { 'svc.config.json': { store: { url: 'memory:' } } })
  const { code, err } = await svc(here, 'serve --port 0 --no-work')
  assert.is(code, 3)
  assert.match(err, /no other process can work on the runs of a server.*\/store\/url says memory.*\[config_invalid\]/s)
})

test('another address needs a key; a key is never a flag; a port in use is said', async () => {
  const here = notesWorld(server)
  const open = await svc(here, 'serve --host 0.0.0.0 --port 0')
  assert.is(open.code, 3)
  assert.match(open.err, /SERVICE_API_KEY.*--insecure-no-auth/)
  assert.is((await svc(here, 'serve --key x')).code, 2)
  const running = begin(here, 'serve --host 0.0.0.0 --port 0', { env: { SERVICE_API_KEY: 'one,two' } })
  const { port } = new URL(await urlOf(running))
  const url = `http://127.0.0.1:${port}`
  assert.is((await fetch(`${url}/v1/runs`)).status, 401)
  assert.is((await fetch(`${url}/v1/runs`, { headers: { authorization: 'Bearer two' } })).status, 200)
  const used = await svc(here, ['serve', '--port', port])
  assert.is(used.code, 3)
  assert.match(used.err, /in use/)
  running.child.kill('SIGINT')
  const { code, out, err } = await running.outcome
  assert.is(code, 130)
  assert.is(out, `http://0.0.0.0:${port}\n`)
  assert.not.match(err, /one,two|Bearer/)
  assert.match(err, /"route":"\/v1\/runs","status":401/)
})

test('without a key, a server that has a public name says who may call it', async () => {
  const here = notesWorld(server, { 'svc.config.json': { server: { allowedHosts: ['svc.example.com'] } } })
  for (const [env, said] of [
    [{}, true],
    [{ SERVICE_API_KEY: 'one' }, false],
  ] as const) {
    const running = begin(here, 'serve --port 0', { env })
    await urlOf(running)
    running.child.kill('SIGINT')
    const { err } = await running.outcome
    assert.is(/no key is set.*svc\.example\.com/.test(err), said, err)
  }
})

test('it prints the address of the console, which is there, and ends at a signal', async () => {
  const running = begin(makeWorld(), 'gui --port 0')
  const [, server = ''] = await running.says(/svc: listening on (http:[^;]+);/)
  const page = await fetch(`${server}/console/`)
  assert.is(page.status, 200)
  assert.match(await page.text(), /<script type="module"/)
  running.child.kill('SIGTERM')
  const { code, out } = await running.outcome
  assert.is(code, 143)
  assert.is(out, `${server}/console/\n`)
})

if (hasTerminal) {
  test('at a terminal a browser opens it, unless nobody wants that', async () => {
    const world = makeWorld()
    const browser = join(world.work, 'browser.sh')
    const seen = join(world.work, 'opened')
    writeFileSync(browser, `#!/bin/sh\necho "$1" >> '${seen}'\n`)
    chmodSync(browser, 0o755)
    const opened = (): string => {
      try {
        return readFileSync(seen, 'utf8')
      } catch {
        return ''
      }
    }
    const quiet = atTerminal(world, ['gui', '--port', '0', '--no-open'], { env: { BROWSER: browser } })
    await quiet.says(/listening on/)
    quiet.type('\x03')
    await quiet.end
    const terminal = atTerminal(world, ['gui', '--port', '0'], { env: { BROWSER: browser } })
    await terminal.says(/listening on/)
    await until(() => opened() !== '')
    terminal.type('\x03')
    const { lines } = await terminal.end
    const [page = '', code = ''] = opened().trim().split('#code=')
    assert.ok(lines.includes(page), lines.join('\n'))
    assert.match(code, /^[\w-]{22}$/)
  })
}

test.run()
