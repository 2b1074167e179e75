/** S10: a request that is sent again, at once, later or after a crash, does its work once. */
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { makeThings, posting, postingScript } from '../fixtures/good-requests.ts'
import { ask, openServer, serverSuite } from '../fixtures/open-server.ts'
import { readFrames } from '../fixtures/read-stream.ts'
import { PROCESS_KEY, startProcess } from '../fixtures/start-process.ts'
import { pausing, until } from '../fixtures/until.ts'

const test = serverSuite('S10 requests sent again')

const body = { task: 'What is 6 times 7?' }
const key = { 'idempotency-key': 'key-1' }
const local = { ...key, 'x-api-key': PROCESS_KEY }

test('a client that learnt the key of this machine from one try to the next makes the same run', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const first = await world.askAs(key, 'POST', '/v1/runs?wait=60000', body)
  const again = await world.askAs({ ...key, 'x-api-key': world.server.localKey }, 'POST', '/v1/runs?wait=60000', body)
  assert.equal([again.json.id, again.headers.get('idempotency-replayed')], [first.json.id, 'true'])
})

test('a hundred at once with one key make one run, and each gets its result', async () => {
  for (const path of ['/v1/runs?wait=60000', '/execute']) {
    const { answer, isAsked, script } = pausing()
    const world = await openServer({ script })
    const asking = Array.from({ length: 100 }, () => world.ask('POST', path, { body, headers: key }))
    await isAsked
    answer()
    const answers = await Promise.all(asking)
    assert.equal([...new Set(answers.map(({ status }) => status))], [path === '/execute' ? 200 : 201])
    assert.is(new Set(answers.map(({ json }) => json.id ?? json.runId)).size, 1)
    assert.is(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 99)
    assert.is((await world.runtime.runs.list()).data.length, 1)
    assert.is(world.provider.requests.length, 1)
    await world.close()
  }
})

test('without a key the same ten make ten runs', async () => {
  const world = await openServer()
  await Promise.all(Array.from({ length: 10 }, () => world.ask('POST', '/v1/runs', { body })))
  assert.is((await world.runtime.runs.list()).data.length, 10)
})

test('one of many clients that leaves does not cancel the run that the others wait for', async () => {
  const { answer, script } = pausing()
  let isNoticed = false
  const world = await openServer({ script, server: { log: () => (isNoticed = true) } })
  const leave = new AbortController()
  const open = async (signal?: AbortSignal) => {
    const headers = { ...key, accept: 'text/event-stream', 'content-type': 'application/json' }
    const frames = readFrames(
      await fetch(`${world.url}/execute`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: signal ?? null,
      }),
    )
    await frames.next()
    return frames
  }
  await open(leave.signal)
  const stays = await open()
  const waits = world.ask('POST', '/execute', { body, headers: key })
  leave.abort()
  await until(() => isNoticed)
  answer()
  const types: (string | undefined)[] = []
  for await (const { event } of stays) types.push(event)
  assert.is(types.at(-2), 'run.completed')
  assert.is((await waits).json.status, 'completed')
})

test('the key of one request is no key of another: other body, other route, other holder', async () => {
  const world = await openServer({ server: { keys: () => ['one', 'two'] } })
  const of = (holder: string) => ({ ...key, 'x-api-key': holder })
  const first = await world.ask('POST', '/v1/runs', { body, headers: of('one') })
  const other = await world.ask('POST', '/v1/runs', { body: { task: 'What is 6 times 8?' }, headers: of('one') })
  assert.is(other.status, 422)
  assert.is(other.json.code, 'idempotency_mismatch')
  const again = await world.ask('POST', '/v1/runs', { body, headers: of('one') })
  assert.is(again.json.id, first.json.id)
  assert.is((await world.ask('POST', '/execute', { body, headers: of('one') })).status, 200)
  const second = await world.ask('POST', '/v1/runs', { body, headers: of('two') })
  assert.is.not(second.json.id, first.json.id)
  assert.is((await world.runtime.runs.list()).data.length, 3)
  for (const wrong of ['', 'a b', 'x'.repeat(256)]) {
    const headers = { ...of('one'), 'idempotency-key': wrong }
    assert.is((await world.ask('POST', '/v1/runs', { body, headers })).json.code, 'validation_failed', wrong)
  }
})

const MADE: readonly (readonly [path: string, sent: object, changed: object])[] = [
  ['/v1/memory', { content: 'We release on Thursdays.' }, { content: 'We release on Fridays.' }],
  ['/v1/agents', { name: 'Reviewer' }, { name: 'Writer' }],
]

test('forks, memories, agents and answers to approvals are kept apart by their keys too', async () => {
  const world = await openServer()
  const run = await world.ask('POST', '/v1/runs?wait=60000', { body })
  const twice = async (path: string, sent: object) => [
    await world.ask('POST', path, { body: sent, headers: key }),
    await world.ask('POST', path, { body: sent, headers: key }),
  ]
  for (const [path, sent, changed] of [
    [`/v1/runs/${run.json.id}/fork`, { atSeq: 3 }, { atSeq: 4 }],
    ...MADE,
  ] as const) {
    const [one, two] = await twice(path, sent)
    assert.is(one?.status, 201, path)
    assert.is(two?.status, 201, path)
    assert.is(two?.json.id, one?.json.id)
    assert.is(one?.headers.get('idempotency-replayed'), null)
    assert.is(two?.headers.get('idempotency-replayed'), 'true')
    assert.is((await world.ask('POST', path, { body: changed, headers: key })).json.code, 'idempotency_mismatch', path)
  }
  assert.is((await world.ask('POST', '/v1/agents', { body: { name: 'Reviewer' } })).json.code, 'agent_exists')
})

test('what is no run is made once too: by many at once, over two processes, and after a restart', async () => {
  const dir = makeFolder()
  const [one, two] = await Promise.all([startProcess(dir, 'serve'), startProcess(dir, 'serve')])
  const made: string[] = []
  for (const [path, sent, changed] of MADE) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(index % 2 === 0 ? one.url : two.url, 'POST', path, { body: sent, headers: local }),
      ),
    )
    assert.equal([...new Set(answers.map(({ status }) => status))], [201], answers[0]?.text)
    assert.is(new Set(answers.map(({ json }) => json.id)).size, 1, path)
    assert.is(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 19, path)
    assert.is((await ask(two.url, 'POST', path, { body: changed, headers: local })).status, 422, path)
    assert.is(((await ask(two.url, 'GET', path, { headers: local })).json.data as unknown[]).length, 1, path)
    made.push(String(answers[0]?.json.id))
  }
  await Promise.all([one.kill(), two.kill()])
  const third = await startProcess(dir, 'serve')
  for (const [index, [path, sent, changed]] of MADE.entries()) {
    const again = await ask(third.url, 'POST', path, { body: sent, headers: local })
    assert.is(again.json.id, made[index], path)
    assert.is(again.headers.get('idempotency-replayed'), 'true')
    assert.is((await ask(third.url, 'POST', path, { body: changed, headers: local })).status, 422, path)
  }
  const [path, id] = ['/v1/memory', made[0]]
  await ask(third.url, 'DELETE', `${path}/${id}`, { headers: local })
  assert.is((await ask(third.url, 'POST', path, { body: MADE[0]?.[1], headers: local })).json.code, 'memory_not_found')
  await third.kill()
})

test('an answer to an approval that is sent again is the same answer, and another one is refused', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const { approvalId } = await makeThings(world)
  const path = `/v1/approvals/${approvalId}`
  const approve = { decision: 'approve' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => world.ask('POST', path, { body: approve, headers: key })),
  )
  for (const { status, json } of answers)
    assert.equal([status, json.status, json.decision], [200, 'approved', 'approve'])
  assert.is(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1)
  const other = await world.ask('POST', path, { body: { decision: 'deny' }, headers: key })
  assert.is(other.json.code, 'idempotency_mismatch')
  assert.is((await world.ask('POST', path, { body: approve })).json.code, 'approval_closed')
})

test('what failed may be sent again under the same key', async () => {
  const world = await openServer()
  await world.ask('POST', '/v1/agents', { body: { name: 'Reviewer' } })
  const first = await world.ask('POST', '/v1/agents', { body: { name: 'Reviewer' }, headers: key })
  assert.is(first.json.code, 'agent_exists')
  await world.ask('DELETE', '/v1/agents/reviewer')
  assert.is((await world.ask('POST', '/v1/agents', { body: { name: 'Reviewer' }, headers: key })).status, 201)
})

test('a server that is killed between the record and the answer makes no second run for the same key', async () => {
  const dir = makeFolder()
  const first = await startProcess(dir, 'crash')
  const cut = await ask(first.url, 'POST', '/v1/runs', { body, headers: key }).catch((thrown: unknown) => thrown)
  assert.instance(cut, TypeError)
  await first.ended
  const second = await startProcess(dir, 'serve')
  const again = await ask(second.url, 'POST', '/v1/runs?wait=60000', { body, headers: key })
  assert.is(again.status, 201)
  assert.is(again.headers.get('idempotency-replayed'), 'true')
  const runs = await ask(second.url, 'GET', '/v1/runs')
  assert.is((runs.json.data as unknown[]).length, 1)
  const ended = await ask(second.url, 'GET', `/v1/runs/${again.json.id}?wait=60000`)
  assert.is(ended.json.status, 'completed')
  await second.kill()
})

test.run()
