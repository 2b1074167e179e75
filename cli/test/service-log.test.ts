/** What a collector gets of servers and workers: lines of JSON alone, of what happens to runs, requests and the process. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { callsOf, hanging, killed, notesWorld, startNotesServer } from './fixtures/notes.ts'
import { svc } from './fixtures/svc.ts'
import { atTerminal, hasTerminal } from './fixtures/terminal.ts'
import { begin, makeWorld, type Running, type World } from './fixtures/world.ts'

const test = suite('log of a service')

const server = await startNotesServer()
/** A vendor that knows the key no more. */
const refusing = await startModelServer(() => (_, response) => {
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"invalid api key"}}')
})

type Line = Record<string, unknown>

/** Each line as JSON; anything else fails. */
const linesOf = (err: string): Line[] =>
  err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

async function urlOf(running: Running): Promise<string> {
  const [, url = ''] = await running.says(/(?:listening on|probes and metrics at) (http:[^\s";]+)/)
  return url
}

async function ended(running: Running): Promise<Line[]> {
  running.child.kill('SIGTERM')
  const { out, err } = await running.outcome
  assert.is(out, '')
  return linesOf(err)
}

const newestOf = async (here: World): Promise<string> => {
  const { out, err } = await svc(here, ['runs', 'list', '--json'])
  const { data } = JSON.parse(out || err) as { data: { id: string; status: string }[] }
  return data[0]?.id ?? ''
}

test('a server says who asked for a run from where, and what became of it, and every line is JSON', async () => {
  const here = notesWorld(server)
  const running = begin(here, 'serve --port 0 --log-format json', {
    env: { SERVICE_API_KEY: 'crew 0123456789abcdef0123456789abcdef' },
  })
  const url = await urlOf(running)
  const headers = { 'content-type': 'application/json', 'x-api-key': '0123456789abcdef0123456789abcdef' }
  const body = JSON.stringify({ task: 'How old is the crane? WORD-log', topology: 'SINGLE' })
  const made = await fetch(`${url}/v1/runs?wait=60000`, { method: 'POST', headers, body })
  const { id } = (await made.json()) as { id: string }
  await fetch(`${url}/v1/runs/${id}`, { headers })
  running.child.kill('SIGHUP')
  await running.says(/the config was read again/)
  const lines = await ended(running)
  for (const { time, level } of lines) {
    assert.ok(!Number.isNaN(Date.parse(time as string)))
    assert.ok(['info', 'warn', 'error'].includes(level as string))
  }
  const ofRun = lines.filter(({ run, msg }) => run === id && msg !== undefined)
  assert.equal(
    ofRun.map(({ msg, status, level }) => [msg, status, level]),
    [
      ['run begins', 'running', 'info'],
      ['run completed', 'completed', 'info'],
    ],
  )
  const [begun = {}, done = {}] = ofRun
  assert.is(begun.by, 'owner')
  assert.is(begun.space, here.work)
  assert.type(begun.queuedMs, 'number')
  assert.type(done.durationMs, 'number')
  assert.ok((done.tokens as number) > 0)
  const requests = lines.filter(({ route }) => route !== undefined)
  assert.equal(
    requests.map(({ route, status, run, address, caller }) => [route, status, run, address, caller]),
    [
      ['/v1/runs', 201, id, '127.0.0.1', 'owner'],
      ['/v1/runs/{id}', 200, id, '127.0.0.1', 'owner'],
    ],
  )
  assert.ok(lines.some(({ msg }) => /^listening on http/.test(msg as string)))
  assert.not.match(JSON.stringify(lines), /WORD-log|0123456789abcdef/)
})

test('a run that failed is a line at level error with its code, and a worker has a port of its own', async () => {
  const here = makeWorld({}, { 'providers/mine.json': dropIn(refusing) })
  const serving = begin(here, 'serve --port 0 --log-format json')
  const url = await urlOf(serving)
  const headers = { 'content-type': 'application/json' }
  await fetch(`${url}/v1/runs?wait=60000`, { method: 'POST', headers, body: '{"task":"What is 6 times 7?"}' })
  const id = await newestOf(here)
  const failed = (await ended(serving)).find(({ run, status }) => run === id && status === 'failed')
  assert.is(failed?.level, 'error')
  assert.is(failed?.code, 'provider_auth')
  assert.match(failed?.error as string, /\w/)

  const worker = begin(here, 'worker --port 0', { env: { SVC_LOG_FORMAT: 'json' } })
  const probes = await urlOf(worker)
  assert.is((await fetch(`${probes}/readyz`)).status, 200)
  assert.is((await fetch(`${probes}/v1/runs`)).status, 404)
  assert.match(await (await fetch(`${probes}/metrics`)).text(), /^svc_build_info\{/m)
  const lines = await ended(worker)
  assert.ok(lines.some(({ msg }) => /^waiting for runs/.test(msg as string)))
})

test('where the config names a port, a worker serves it; without one it opens none', async () => {
  const here = notesWorld(server)
  const named = begin(here, 'worker', { env: { SVC_SERVER_PROBES_PORT: '0' } })
  assert.is((await fetch(`${await urlOf(named)}/livez`)).status, 200)
  named.child.kill('SIGTERM')
  await named.outcome
  const plain = begin(here, 'worker')
  await plain.says(/waiting for runs/)
  plain.child.kill('SIGTERM')
  assert.not.match((await plain.outcome).err, /probes and metrics/)
})

test('a worker that ends says so to who asks whether it is ready', async () => {
  const here = notesWorld(server)
  await killed(server, here, 'WORD-left')
  hanging.add('WORD-left')
  const worker = begin(here, 'worker --port 0 --log-format json')
  const url = await urlOf(worker)
  await until(() => callsOf(server, 'WORD-left')[1] > 1)
  assert.is((await fetch(`${url}/readyz`)).status, 200)
  worker.child.kill('SIGTERM')
  await worker.says(/stopped by SIGTERM/)
  const ready = await fetch(`${url}/readyz?verbose`)
  assert.is(ready.status, 503)
  assert.match(await ready.text(), /^\[-\]draining /m)
  worker.child.kill('SIGTERM')
  linesOf((await worker.outcome).err)
})

for (const command of ['serve', 'worker'])
  test(`a run that ${command} takes up as it starts is logged and counted like any other`, async () => {
    const here = notesWorld(server)
    const word = `WORD-begun${command}`
    const id = await killed(server, here, word)
    hanging.add(word)
    const running = begin(here, `${command} --port 0 --log-format json`)
    const url = await urlOf(running)
    const counted = async () =>
      (await (await fetch(`${url}/metrics`)).text()).includes('\nsvc_recovered_runs_total 1\n')
    await until(counted)
    await until(() => callsOf(server, word)[1] > 1)
    running.child.kill('SIGTERM')
    await running.says(/stopped by SIGTERM/)
    running.child.kill('SIGTERM')
    const ofRun = linesOf((await running.outcome).err).filter(({ run }) => run === id)
    assert.equal(
      ofRun.map(({ msg }) => msg),
      ['run taken up from another process'],
    )
  })

if (hasTerminal)
  test('at a terminal requests and runs are lines of text, and JSON where that is asked for', async () => {
    const here = notesWorld(server)
    const lines = async (...more: string[]): Promise<string[]> => {
      const terminal = atTerminal(here, ['serve', '--port', '0', ...more], { columns: 200 })
      await terminal.says(/listening on/)
      const [, url] = /listening on (http:[^;\s]+)/.exec(terminal.said()) ?? []
      const body = JSON.stringify({ task: 'How old is the crane? WORD-text', topology: 'SINGLE' })
      await fetch(`${url}/v1/runs?wait=60000`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await terminal.says(/run completed/)
      await terminal.says(/201/)
      terminal.type('\x03')
      return (await terminal.end).lines
    }
    const text = await lines()
    const ours = text.filter((line) => /run completed|201/.test(line)).join('\n')
    assert.match(ours, /^\d\d:\d\d:\d\d run completed \d+\.\d s run=run_\w+ .*tokens=\d+/m)
    assert.match(ours, /^\d\d:\d\d:\d\d POST \/v1\/runs 201 \d+\.\d s caller=\w+ address=127\.0\.0\.1 run=run_\w+/m)
    assert.ok(!text.some((line) => line.startsWith('{')), text.join('\n'))
    assert.ok((await lines('--log-format', 'json')).some((line) => line.startsWith('{"time":')))
  })

test('a format that there is not is refused by name', async () => {
  const here = notesWorld(server)
  const flag = await svc(here, 'serve --log-format xml')
  assert.is(flag.code, 2)
  assert.match(flag.err, /log-format.*text, json/)
  const variable = await svc(here, 'worker', { env: { SVC_LOG_FORMAT: 'xml' } })
  assert.is(variable.code, 2)
  assert.match(variable.err, /SVC_LOG_FORMAT must be text or json, not "xml"/)
})

test.after(async () => {
  await Promise.all([server.close(), refusing.close()])
})
test.run()
