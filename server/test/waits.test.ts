import type { Run } from '@svc/core'
import * as assert from 'uvu/assert'
import { posting, postingScript } from './fixtures/good-requests.ts'
import { ask, openServer, serverSuite } from './fixtures/open-server.ts'
import { pausing, until } from './fixtures/until.ts'

const test = serverSuite('waiting for runs')

const task = 'What is 6 times 7?'

test('POST /execute answers with the result, also of a run that failed', async () => {
  const world = await openServer({
    script: (_, index) => (index === 0 ? 'The answer is 42.' : { error: new Error('broken') }),
  })
  const good = await world.ask('POST', '/execute', { body: { task } })
  assert.is(good.status, 200)
  assert.is(good.json.summary, 'The answer is 42.')
  const bad = await world.ask('POST', '/execute', { body: { task } })
  assert.is(bad.status, 200)
  assert.is(bad.json.status, 'failed')
  assert.type((bad.json.error as { code: string }).code, 'string')
})

test('a model is asked for pieces of its answer only where somebody reads them', async () => {
  const world = await openServer()
  await world.ask('POST', '/execute', { body: { task } })
  await world.ask('POST', '/execute', { body: { task }, headers: { accept: 'text/event-stream' } })
  await world.ask('POST', '/v1/runs?wait=60000', { body: { task } })
  assert.equal(
    world.provider.requests.map(({ stream }) => stream),
    [false, true, true],
  )
})

test('POST /execute goes as far as its mode says', async () => {
  const world = await openServer()
  const plan = await world.ask('POST', '/execute', { body: { task, mode: 'plan' } })
  assert.ok(Array.isArray((plan.json.plan as { steps: unknown }).steps))
  const analysis = await world.ask('POST', '/execute', { body: { task, mode: 'analyze' } })
  assert.type(analysis.json.score, 'number')
  assert.is(world.provider.requests.length, 0)
})

test('who prefers not to wait gets the id at once', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const { status, json, headers } = await world.ask('POST', '/execute', {
    body: { task },
    headers: { prefer: 'respond-async' },
  })
  assert.is(status, 202)
  assert.is(headers.get('preference-applied'), 'respond-async')
  assert.is(headers.get('location'), `/v1/runs/${json.runId}`)
  answer()
  const ended = await world.ask('GET', `/v1/runs/${json.runId}?wait=60000&include=result`)
  assert.is(ended.json.status, 'completed')
  assert.is((ended.json.result as { summary: string }).summary, 'The answer is 42.')
})

test('a run that takes longer than waitMs goes on after the answer', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const { status, json } = await world.ask('POST', '/execute', { body: { task, options: { waitMs: 50 } } })
  assert.is(status, 202)
  answer()
  assert.is((await world.runtime.runs.wait(String(json.runId))).status, 'completed')
})

test('a result is not there before the end, and is there after it', async () => {
  const { answer, script } = pausing()
  const world = await openServer({ script })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task } })
  const early = await world.ask('GET', `/v1/runs/${json.id}/result`)
  assert.is(early.status, 425)
  assert.is(early.json.code, 'run_not_finished')
  answer()
  await world.ask('GET', `/v1/runs/${json.id}?wait=60000`)
  assert.is((await world.ask('GET', `/v1/runs/${json.id}/result`)).json.summary, 'The answer is 42.')
})

/** Fails unless a run has this status after its client left during its model call, which ends only where it is to go on. */
async function assertStatusAfterLeaving(
  expected: Run['status'],
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<void> {
  const { answer, script } = pausing()
  let isNoticed = false
  const world = await openServer({ script, server: { log: () => (isNoticed = true) } })
  const leave = new AbortController()
  const asked = ask(world.url, 'POST', path, { body, headers, signal: leave.signal }).catch(() => {})
  await until(() => world.provider.requests.length > 0)
  leave.abort()
  await asked
  await until(() => isNoticed)
  if (expected === 'completed') answer()
  const [run] = (await world.runtime.runs.list()).data
  const { status } = await world.runtime.runs.wait(run?.id ?? '', 60_000)
  assert.is(status, expected, `${path} ${JSON.stringify({ body, headers })}`)
  await world.close()
}

test('a run of POST /execute ends with its client, unless it is to go on; one of POST /v1/runs the other way round', async () => {
  const sse = { accept: 'text/event-stream' }
  await assertStatusAfterLeaving('cancelled', '/execute', { task })
  await assertStatusAfterLeaving('cancelled', '/execute', { task }, sse)
  await assertStatusAfterLeaving('completed', '/execute', { task, onDisconnect: 'continue' })
  await assertStatusAfterLeaving('completed', '/v1/runs?wait=60000', { task })
  await assertStatusAfterLeaving('completed', '/v1/runs', { task }, sse)
  await assertStatusAfterLeaving('cancelled', '/v1/runs?wait=60000', { task, onDisconnect: 'cancel' })
})

test('POST /v1/runs waits for a person where a tool asks, POST /execute does not', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const body = { task: 'Post a message to the team' }
  const run = await world.ask('POST', '/v1/runs?wait=60000', { body })
  assert.is(run.json.status, 'waiting')
  const { approvals: [approval] = [] } = run.json.waiting as NonNullable<Run['waiting']>
  await world.ask('POST', `/v1/approvals/${approval?.id}`, { body: { decision: 'approve', remember: 'run' } })
  const after = await world.ask('GET', `/v1/runs/${run.json.id}?wait=60000`)
  assert.is(after.json.status, 'completed', JSON.stringify(after.json.waiting))
  const twice = await world.ask('POST', `/v1/approvals/${approval?.id}`, { body: { decision: 'deny' } })
  assert.is(twice.json.code, 'approval_closed')
  const executed = await world.ask('POST', '/execute', { body })
  assert.ok((executed.json.toolCalls as { denied: number }).denied > 0)
})

test('a run that was cancelled is cancelling, then cancelled, and can be gone on with as a new run', async () => {
  const world = await openServer({ script: () => new Promise(() => {}) })
  const { json } = await world.ask('POST', '/v1/runs', { body: { task } })
  await until(() => world.provider.requests.length > 0)
  const active = await world.ask('DELETE', `/v1/runs/${json.id}`)
  assert.is(active.json.code, 'run_active')
  const cancelled = await world.ask('POST', `/v1/runs/${json.id}/cancel`, { body: { reason: 'enough' } })
  assert.is(cancelled.status, 202)
  assert.is((await world.ask('GET', `/v1/runs/${json.id}?wait=60000`)).json.status, 'cancelled')
  assert.is((await world.ask('POST', `/v1/runs/${json.id}/cancel`)).status, 200)
  const again = await world.ask('POST', `/v1/runs/${json.id}/resume`)
  assert.is(again.status, 201)
  assert.is(again.json.parentRunId, json.id)
  assert.is(again.headers.get('location'), `/v1/runs/${again.json.id}`)
})

test('a tag says whether a run has changed, and a change that was made on an old one is refused', async () => {
  const world = await openServer()
  const { json } = await world.ask('POST', '/v1/threads', { body: { title: 'One' } })
  const path = `/v1/threads/${json.id}`
  const tag = (await world.ask('GET', path)).headers.get('etag') ?? ''
  const same = await world.ask('GET', path, { headers: { 'if-none-match': tag } })
  assert.is(same.status, 304)
  assert.is(same.text, '')
  const changed = await world.ask('PATCH', path, { body: { title: 'Two' }, headers: { 'if-match': tag } })
  assert.is(changed.status, 200)
  const late = await world.ask('PATCH', path, { body: { title: 'Three' }, headers: { 'if-match': tag } })
  assert.is(late.status, 412)
  assert.is(late.json.code, 'version_conflict')
  assert.is((await world.ask('GET', path, { headers: { 'if-none-match': tag } })).json.title, 'Two')
})

test('lists have a next page until they end', async () => {
  const world = await openServer()
  for (let i = 0; i < 5; i++) await world.ask('POST', '/v1/threads', { body: { title: `Talk ${i}` } })
  const titles: unknown[] = []
  let path: string | undefined = '/v1/threads?limit=2&order=asc'
  while (path !== undefined) {
    const { json, headers } = await world.ask('GET', path)
    titles.push(...(json.data as { title: string }[]).map(({ title }) => title))
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  assert.equal(titles, ['Talk 0', 'Talk 1', 'Talk 2', 'Talk 3', 'Talk 4'])
  assert.is((await world.ask('GET', '/v1/threads?after=thr_nobody')).json.code, 'invalid_cursor')
})

test.run()
