/** Who decides over HTTP is written down, with where they came from; nobody fills or forges the log by asking. */
import type { AuditEntry } from '@svc/core'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../../src/index.ts'
import { ROUTES } from '../../src/routes/index.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { type OpenOptions, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('s36 audit')

async function audited(options: OpenOptions = {}) {
  const entries: AuditEntry[] = []
  const world = await openServer({
    script: postingScript,
    plugins: [posting()],
    ...options,
    runtime: { audit: (entry) => void entries.push(entry), caller: { who: 'local me', from: 'command line' } },
  })
  return { world, entries }
}

test('start and stop are written down with the address, and each decision with who and from where', async () => {
  const { world, entries } = await audited()
  const { json } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Post a message to the team' } })
  const id = String(json.id)
  const [asked] = (await world.runtime.approvals.list()).data
  await world.ask('POST', `/v1/approvals/${asked?.id}`, { body: { decision: 'deny' } })
  await world.ask('GET', `/v1/runs/${id}?wait=60000`)
  await world.ask('POST', `/v1/runs/${id}/fork`, { body: { atSeq: 1 } })
  await world.askAs({}, 'POST', `/v1/runs/${id}/fork`, { atSeq: 1 })
  await world.ask('DELETE', `/v1/runs/${id}`)
  await world.ask('POST', '/v1/agents', { body: { id: 'reviewer', name: 'Reviewer' } })
  const memory = await world.ask('POST', '/v1/memory', { body: { content: 'We release on Thursdays' } })
  await world.ask('PATCH', `/v1/memory/${memory.json.id}`, { body: { content: 'Not on Thursdays', tags: ['release'] } })
  await world.ask('DELETE', `/v1/memory/${memory.json.id}`)
  await world.close()
  assert.equal(
    entries.map(({ what, who, from }) => [what, who, from]),
    [
      ['server.started', 'local me', 'command line'],
      ['approval.answered', 'local', 'http 127.0.0.1'],
      ['run.forked', 'local', 'http 127.0.0.1'],
      ['run.forked', 'anonymous', 'http 127.0.0.1'],
      ['run.deleted', 'local', 'http 127.0.0.1'],
      ['agent.saved', 'local', 'http 127.0.0.1'],
      ['memory.written', 'local', 'http 127.0.0.1'],
      ['memory.changed', 'local', 'http 127.0.0.1'],
      ['memory.deleted', 'local', 'http 127.0.0.1'],
      ['server.stopped', 'local me', 'command line'],
    ],
  )
  assert.equal(entries[0]?.details, { url: world.url, hasKeys: false })
  assert.not.match(JSON.stringify(entries), /Thursdays/)
})

test('with a key it is the owner who decides, and keys that are refused are counted', async () => {
  const key = 'k'.repeat(32)
  const { world, entries } = await audited({ server: { keys: () => [key] } })
  for (let n = 0; n < 50; n++) await world.ask('GET', '/v1/runs', { headers: { 'x-api-key': `wrong-${n}` } })
  await world.ask('POST', '/v1/agents', { body: { id: 'reviewer', name: 'R' }, headers: { 'x-api-key': key } })
  await world.close()
  const refused = entries.filter(({ what }) => what === 'key.refused')
  assert.equal(
    refused.map(({ who, from, details }) => [who, from, details?.count]),
    [
      ['unknown', 'http 127.0.0.1', 1],
      ['unknown', 'http 127.0.0.1', 49],
    ],
  )
  assert.is(entries.find(({ what }) => what === 'agent.saved')?.who, 'owner')
  assert.not.match(JSON.stringify(entries), /wrong-|kkkk/)
})

test('a key for some things decides under its name, in the log of the run as in that of decisions', async () => {
  const keys: ScopedKey[] = [
    { name: 'ci', key: 'ci-key', scopes: ['submit'] },
    { name: 'on-call', key: 'on-call-key', scopes: ['approve'] },
  ]
  const { world, entries } = await audited({ server: { keys: () => keys } })
  const as = (key: string) => ({ 'x-api-key': key })
  const task = { task: 'Post a message to the team' }
  const { json } = await world.askAs(as('ci-key'), 'POST', '/v1/runs?wait=60000', task)
  const [asked] = (await world.runtime.approvals.list()).data
  const answered = await world.askAs(as('on-call-key'), 'POST', `/v1/approvals/${asked?.id}`, { decision: 'deny' })
  assert.is(answered.json.by, 'on-call')
  await world.runtime.runs.wait(String(json.id))
  const other = await world.askAs(as('ci-key'), 'POST', '/v1/runs?wait=60000', task)
  await world.askAs(as('ci-key'), 'POST', `/v1/runs/${other.json.id}/cancel`, {})
  await world.close()
  assert.equal(
    entries.filter(({ from }) => from.startsWith('http')).map(({ what, who }) => [what, who]),
    [
      ['approval.answered', 'on-call'],
      ['run.cancelled', 'ci'],
    ],
  )
})

test('every route that changes something decides, or is known to decide nothing', async () => {
  /** They make, and ask; what they make is a run or a conversation of who asks, with its own log. */
  const decideNothing = new Set([
    'POST /execute',
    'POST /v1/runs',
    'POST /v1/runs/{id}/replay',
    'POST /v1/analyze',
    'POST /v1/memory/query',
    'POST /v1/threads',
    'PATCH /v1/threads/{id}',
    'POST /v1/threads/{id}/copy',
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    // exchanges a code that a person was shown for the key that decides
    'POST /v1/session',
  ])
  const decide = new Set([
    'DELETE /v1/runs/{id}',
    'POST /v1/runs/{id}/cancel',
    'POST /v1/runs/{id}/messages',
    'POST /v1/runs/{id}/resume',
    'POST /v1/runs/{id}/fork',
    'POST /v1/runs/{id}/undo',
    'POST /v1/approvals/{id}',
    'DELETE /v1/threads/{id}',
    'POST /v1/agents',
    'PUT /v1/agents/{id}',
    'DELETE /v1/agents/{id}',
    'POST /v1/memory',
    'PATCH /v1/memory/{id}',
    'DELETE /v1/memory/{id}',
  ])
  // What protocols of others decide, they decide by the same calls.
  const unknown = ROUTES.filter(({ method, adapter }) => method !== 'GET' && adapter === undefined)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !decide.has(name) && !decideNothing.has(name))
  assert.equal(unknown, [])
})

test('where it cannot be written down, the decision is refused with its code', async () => {
  let isFull = false
  const { SvcError } = await import('@svc/core')
  const world = await openServer({
    runtime: {
      audit: () => {
        if (isFull) throw new SvcError('disk_full', 'the audit log cannot be written: the disk is full')
      },
    },
  })
  isFull = true
  const { status, json } = await world.ask('POST', '/v1/agents', { body: { id: 'reviewer', name: 'R' } })
  assert.equal([status, json.code], [503, 'disk_full'])
  assert.is((await world.ask('GET', '/v1/agents/reviewer')).status, 404)
  assert.is((await world.ask('POST', '/execute', { body: { task: 'x' } })).status, 200, 'runs go on')
})

test.run()
