/** S31: who may do what. A run is decided on by somebody else than its maker, and a key sees what is its own. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isTerminal, type Run, type Runtime } from '@svc/core'
import { openRulesFile } from '@svc/plugins'
import * as assert from 'uvu/assert'
import { ROUTES, type Route, type ScopedKey } from '../../src/index.ts'
import { makeFolder } from '../fixtures/folder.ts'
import { goodRequests, makeThings, posting, postingScript } from '../fixtures/good-requests.ts'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S31 who may do what')

const OWNER = 'owner-key'
const KEYS: readonly ScopedKey[] = [
  { name: 'ci', key: 'ci-key', scopes: ['submit'] },
  { name: 'bot', key: 'bot-key', scopes: ['submit'] },
  { name: 'ops', key: 'ops-key', scopes: ['approve'] },
  { name: 'both', key: 'both-key', scopes: ['submit', 'approve'] },
  { name: 'root', key: 'root-key', scopes: ['admin'] },
]
const POST = 'Post a message to the team'

const open = (options: OpenOptions = {}): Promise<OpenServer> =>
  openServer({ script: postingScript, plugins: [posting()], ...options })
const openKeyed = (options: OpenOptions = {}): Promise<OpenServer> =>
  open({ ...options, server: { keys: () => [OWNER, ...KEYS] } })
/** Asks as the holder of a key; of none: as each who can reach the server. */
const as = (world: OpenServer, key?: string) => (method: string, path: string, body?: unknown) =>
  world.askAs(key === undefined ? {} : { authorization: `Bearer ${key}` }, method, path, body)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const waiting = async ({ runs }: Runtime, id: unknown): Promise<Run> => runs.wait(String(id))
const approvalOf = async (world: OpenServer, id: unknown): Promise<string> =>
  (await waiting(world.runtime, id)).waiting?.approvals?.[0]?.id ?? 'none'

/** What each kind of caller may ask for, written down apart from the table that is tested. */
const DECIDES = [
  'DELETE /v1/runs/{id}',
  'POST /v1/runs/{id}/undo',
  'POST /v1/approvals/{id}',
  'POST /v1/agents',
  'PUT /v1/agents/{id}',
  'DELETE /v1/agents/{id}',
  'POST /v1/memory',
  'PATCH /v1/memory/{id}',
  'DELETE /v1/memory/{id}',
  'DELETE /v1/threads/{id}',
  'DELETE /v1/responses/{id}',
]

test('what a program that reaches a server without keys sends decides nothing, on any route of the document', async () => {
  const world = await open()
  const good = goodRequests(await makeThings(world))
  const { paths } = (await world.askAs({}, 'GET', '/openapi.json')).json as unknown as {
    paths: Record<string, Record<string, { security: object[] }>>
  }
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.equal(described.sort(), ROUTES.map(nameOf).sort())
  for (const name of described) {
    if (name === 'GET /v1/events') continue // has no end
    const [method = '', plain = ''] = name.split(' ')
    // Routes of other protocols are asked for nothing: who may ask is looked at first.
    const { path, body } = good[name] ?? {
      path: plain.replaceAll(/[{}]/g, ''),
      body: method === 'GET' ? undefined : {},
    }
    const { status, headers } = await as(world)(method, path, body)
    if (name === 'POST /v1/session') continue // takes a code that was printed for a person
    assert.is(status === 401, DECIDES.includes(name), `${name}: ${status}`)
    if (status === 401) assert.is(headers.get('www-authenticate'), 'Bearer', 'no file where there is none')
    const wrong = await as(world, 'x'.repeat(43))(method, path, body)
    const { auth, adapter, problem } = ROUTES.find((route) => nameOf(route) === name) ?? {}
    // Clients of other protocols cannot ask without a key: one that is not good is none.
    const isRefused = (adapter ?? problem) === undefined ? auth !== 'open' : status === 401
    assert.is(wrong.status === 401, isRefused, `${name} with a wrong key: ${wrong.status}`)
  }
})

test('a rule of the config is written at the word of an admin alone, and nobody else sees where', async () => {
  const dir = makeFolder()
  const file = join(dir, 'svc.config.json')
  const world = await openKeyed({ runtime: { rulesFile: openRulesFile(dir) } })
  const { id } = (await as(world, 'ci-key')('POST', '/v1/runs', { task: POST, approval: 'wait' })).json
  const path = `/v1/approvals/${await approvalOf(world, id)}`
  const always = { decision: 'approve', remember: 'always', scope: 'tool' }
  for (const key of ['ci-key', 'bot-key', undefined])
    assert.ok((await as(world, key)('POST', path, always)).status > 400)
  const refused = await as(world, 'ops-key')('POST', path, always)
  assert.equal([refused.status, refused.json.code], [403, 'policy_denied'])
  assert.match(refused.text, /"path":"\/remember"/)
  assert.not.ok(existsSync(file))
  for (const key of ['ci-key', 'ops-key'])
    for (const asked of [path, '/v1/approvals?status=pending', `/v1/runs/${id}`])
      assert.not.match((await as(world, key)('GET', asked)).text, /svc\.config/, `${key} ${asked}`)
  assert.is((await as(world, 'root-key')('GET', path)).json.rulesFile, file)
  const answered = await as(world, 'root-key')('POST', path, always)
  assert.equal([answered.status, answered.json.rulesFile], [200, file], answered.text)
  assert.ok(existsSync(file))
})

test('who may approve gives a permission for the run, and who made the run does not', async () => {
  const world = await openKeyed()
  const { id } = (await as(world, 'both-key')('POST', '/v1/runs', { task: POST, approval: 'wait' })).json
  const path = `/v1/approvals/${await approvalOf(world, id)}`
  const run = { decision: 'approve', remember: 'run', scope: 'tool' }
  assert.is((await as(world, 'both-key')('POST', path, run)).status, 403)
  assert.is((await as(world, 'ops-key')('POST', path, { ...run, scope: 'folder' })).status, 400)
  assert.is((await as(world, 'ops-key')('POST', path, run)).status, 200)
})

test('a run is not approved by who has no key, whatever way is tried; its person approves it', async () => {
  const world = await open()
  const { id } = (await as(world)('POST', '/v1/runs', { task: POST })).json
  const approval = await approvalOf(world, id)
  const approve = { decision: 'approve' }
  assert.is((await as(world)('POST', `/v1/approvals/${approval}`, approve)).status, 401)
  for (const headers of [
    { 'x-api-key': '' },
    { authorization: 'Bearer null' },
    { 'x-api-key': world.server.localKey.slice(1) },
  ])
    assert.is((await world.askAs(headers, 'POST', `/v1/approvals/${approval}`, approve)).status, 401)
  for (const body of [{ input: true }, { input: 'approve' }, { addBudget: 1_000 }])
    assert.is((await as(world)('POST', `/v1/runs/${id}/resume`, body)).status, 401)
  assert.is((await world.runtime.runs.get(String(id))).status, 'waiting')
  assert.is((await as(world, world.server.localKey)('POST', `/v1/approvals/${approval}`, approve)).status, 200)
  assert.is((await waiting(world.runtime, id)).status, 'completed')
})

test('who has no key makes no run that may do more than the config says; who has one does', async () => {
  const world = await open({ config: { budget: { maxSteps: 6 }, tokenBudget: 20_000 } })
  const more: [field: string, options: object][] = [
    ['/allowWrites', { allowWrites: true }],
    ['/approval', { approval: 'allow-write' }],
    ['/agents/0/toolPolicy', { agents: [{ name: 'Writer', toolPolicy: { write_note: 'allow' } }] }],
    ['/tokenBudget', { tokenBudget: 20_001 }],
    ['/budget/maxSteps', { budget: { maxSteps: 24 } }],
    ['/budget/maxTokens', { budget: { maxTokens: 40_001 } }],
  ]
  for (const [field, options] of more) {
    const made = await as(world)('POST', '/v1/runs', { task: 'Write the note', ...options })
    assert.is(made.status, 401, field)
    assert.equal(
      (made.json.errors as { path: string }[]).map(({ path }) => path),
      [field],
    )
    const executed = await as(world)('POST', '/execute', { task: 'Write the note', options })
    assert.is(executed.status, 401, field)
    const own = await as(world, world.server.localKey)('POST', '/v1/runs', { task: 'What is 6 times 7?', ...options })
    assert.is(own.status, 201, `${field}: ${own.text}`)
  }
  const less = { tokenBudget: 15_000, budget: { maxSteps: 3, maxTokens: 20_000 } }
  assert.is((await as(world)('POST', '/v1/runs', { task: 'What is 6 times 7?', ...less })).status, 201)
})

test('who goes on from a run of somebody who may more gets none of what it was allowed', async () => {
  const world = await open()
  const { runs } = world.runtime
  const { id } = await runs.create({
    task: 'Write the note',
    approval: 'wait',
    allowWrites: true,
    tokenBudget: 90_000,
    topology: 'SINGLE',
  })
  await runs.wait(id)
  const forked = await as(world)('POST', `/v1/runs/${id}/fork`, { atSeq: 1 })
  assert.is(forked.status, 201, forked.text)
  const run = await runs.wait(String(forked.json.id))
  assert.is(run.status, 'waiting', 'it asks before it writes')
  assert.is(run.by, 'anonymous')
  const own = await as(world, world.server.localKey)('POST', `/v1/runs/${id}/fork`, { atSeq: 1 })
  assert.is((await runs.wait(String(own.json.id))).status, 'completed')
})

test('what a person allowed for a run is allowed to no fork of who could not allow it', async () => {
  const world = await open()
  const { runs, approvals } = world.runtime
  const { id } = await runs.create({ task: POST, approval: 'wait' })
  await approvals.resolve(await approvalOf(world, id), { decision: 'approve', remember: 'run' })
  const { status, lastSeq } = await runs.wait(id)
  assert.is(status, 'completed')
  const { events } = await eventsOf(world, id)
  const asked = events.find(({ type }) => type === 'approval.resolved')?.seq ?? lastSeq
  const forked = await as(world)('POST', `/v1/runs/${id}/fork`, { atSeq: asked })
  assert.is((await waiting(world.runtime, forked.json.id)).status, 'waiting')
})

const eventsOf = async (world: OpenServer, id: string) => {
  const events = []
  for await (const event of world.runtime.runs.events(id)) events.push(event)
  return { events }
}

test('a key that submits does nothing else, on any route', async () => {
  const world = await openKeyed()
  const good = goodRequests(await makeThings(world))
  const denied = [
    ...DECIDES.filter((name) => !/memory|threads/.test(name)),
    'GET /v1/inspect',
    'GET /v1/experiments',
    'GET /v1/experiments/{id}',
  ]
  for (const route of ROUTES) {
    const name = nameOf(route)
    if (name === 'GET /v1/events' || name === 'POST /v1/session') continue
    const empty = { path: route.path.replaceAll(/[{}]/g, ''), body: route.method === 'GET' ? undefined : {} }
    const { path, body } = good[name] ?? empty
    const { status, json } = await as(world, 'ci-key')(route.method, path, body)
    assert.is(status === 403, denied.includes(name), `${name}: ${status}`)
    if (status === 403 && route.problem === undefined) assert.is(json.code, 'policy_denied')
    const owner = await as(world, OWNER)(route.method, path, body)
    assert.ok(![401, 403].includes(owner.status), `${name} by the owner: ${owner.status}`)
  }
})

/** Refused to each who is none, before it is looked for. */
const FOR_ADMINS = ['DELETE /v1/runs/{id}', 'POST /v1/runs/{id}/undo']

test('what is of another key is not there, on any route that names it, with any parameter', async () => {
  const world = await openKeyed()
  const bot = as(world, 'bot-key')
  const { id } = (await bot('POST', '/v1/runs?wait=60000', { task: 'Write the note', tags: ['secret'] })).json
  await world.runtime.runs.cancel(String(id))
  await world.runtime.runs.wait(String(id), 10_000)
  const threadId = String((await bot('POST', '/v1/threads', { title: 'mine' })).json.id)
  const memoryId = String((await bot('POST', '/v1/memory', { content: 'The code is violet.' })).json.id)
  const own = (await as(world, 'ci-key')('POST', '/v1/runs?wait=60000', { task: 'What is 6 times 7?' })).json.id
  const things = { id: String(id), threadId, memoryId }
  const at = (path: string): string =>
    path
      .replace('/runs/{a}/diff/{b}', `/runs/${own}/diff/${id}`)
      .replace('/runs/{id}', `/runs/${things.id}`)
      .replace('/threads/{id}', `/threads/${things.threadId}`)
      .replace('/memory/{id}', `/memory/${things.memoryId}`)
      .replace('{seq}', '1')
      .replace('{artifactId}', 'artifact-1')
  const named = ROUTES.filter(({ path }) => /\/(runs|threads|memory)\/\{/.test(path))
  assert.ok(named.length > 20)
  const bodies: Record<string, unknown> = {
    'POST /v1/runs/{id}/fork': { atSeq: 1 },
    'POST /v1/runs/{id}/messages': { text: 'And now for me.' },
    'PATCH /v1/memory/{id}': { kind: 'fact' },
  }
  for (const route of named) {
    const far = route.query !== undefined && 'all' in route.query.properties ? '?all=1' : ''
    const body = route.body === undefined ? undefined : (bodies[nameOf(route)] ?? {})
    const { status } = await as(world, 'ci-key')(route.method, `${at(route.path)}${far}`, body)
    assert.ok(status === 404 || (status === 403 && FOR_ADMINS.includes(nameOf(route))), `${nameOf(route)}: ${status}`)
  }
  for (const path of [
    '/v1/runs',
    '/v1/runs?all=1',
    '/v1/runs?tag=secret',
    '/v1/runs?q=note&all=1',
    '/v1/threads?all=1',
    '/v1/approvals?all=1',
    '/v1/memory',
  ])
    assert.not.match((await as(world, 'ci-key')('GET', path)).text, new RegExp(`${id}|${threadId}|${memoryId}`), path)
  assert.match((await as(world, 'ci-key')('GET', '/v1/runs?all=1')).text, String(own))
  assert.match((await bot('GET', '/v1/runs?tag=secret')).text, String(id))
  assert.match((await as(world, OWNER)('GET', '/v1/runs')).text, String(id))
  const summary = async (key: string) =>
    (await as(world, key)('GET', '/v1/runs-summary')).json as { count?: number; runs?: number }
  assert.equal(Object.values(await summary('ci-key'))[0], Object.values(await summary('bot-key'))[0])
})

test("a conversation of another key is not read by naming it: not by a run, nor by a conversation's metadata", async () => {
  const world = await openKeyed()
  const [ci, bot] = [as(world, 'ci-key'), as(world, 'bot-key')]
  const threadId = String((await bot('POST', '/v1/threads', {})).json.id)
  const said = await bot('POST', '/v1/runs?wait=60000', { task: 'The code is violet.', threadId })
  assert.is(said.status, 201)
  assert.is((await ci('POST', '/v1/runs', { task: 'Which code?', threadId })).json.code, 'thread_not_found')
  assert.is((await ci('POST', '/execute', { task: 'Which code?', threadId })).json.code, 'thread_not_found')
  for (const metadata of [{ beganWith: said.json.id }, { copiedFrom: threadId }]) {
    const mine = (await ci('POST', '/v1/threads', { metadata })).json.id
    assert.not.match((await ci('GET', `/v1/threads/${mine}/messages`)).text, 'violet')
    const run = await ci('POST', '/v1/runs?wait=60000', { task: 'Which code?', threadId: mine })
    assert.is(run.status, 201)
    assert.not.match(JSON.stringify(world.provider.requests.at(-1)), 'violet')
  }
  const own = (await bot('POST', '/v1/threads', { metadata: { copiedFrom: threadId } })).json.id
  assert.match((await bot('GET', `/v1/threads/${own}/messages`)).text, 'violet')
})

test('the stream of all runs has those of the key alone', async () => {
  const world = await openKeyed()
  const follow = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const reader = (await fetch(`${world.url}/v1/events?all=1`, { headers })).body?.getReader()
    let text = ''
    return async (isThere: (text: string) => boolean): Promise<string> => {
      while (!isThere(text)) text += Buffer.from((await reader?.read())?.value ?? []).toString()
      return text
    }
  }
  const [ci, owner] = [await follow('ci-key'), await follow(OWNER)]
  const other = String(
    (await as(world, 'bot-key')('POST', '/v1/runs?wait=60000', { task: 'What is 6 times 8?' })).json.id,
  )
  const own = String((await as(world, 'ci-key')('POST', '/v1/runs?wait=60000', { task: 'What is 6 times 7?' })).json.id)
  const isEnded = (id: string) => (text: string) => text.includes('run.completed') && text.includes(id)
  assert.match(await owner((text) => isEnded(other)(text) && text.includes(own)), other)
  assert.not.match(await ci(isEnded(own)), other)
})

test('a key answers for runs of others, never for its own, and only with the scope', async () => {
  const world = await openKeyed()
  const approve = { decision: 'approve' }
  const made = async (key: string): Promise<[id: string, approval: string]> => {
    const { id } = (await as(world, key)('POST', '/v1/runs', { task: POST })).json
    return [String(id), await approvalOf(world, id)]
  }
  const [own, ownApproval] = await made('both-key')
  assert.is((await as(world, 'both-key')('POST', `/v1/approvals/${ownApproval}`, approve)).json.code, 'policy_denied')
  for (const key of ['both-key', 'ops-key'])
    assert.is((await as(world, key)('POST', `/v1/runs/${own}/resume`, { input: 'yes' })).status, 403)
  const [, ofCi] = await made('ci-key')
  for (const key of ['ci-key', 'bot-key'])
    assert.is((await as(world, key)('POST', `/v1/approvals/${ofCi}`, approve)).status, 403)
  assert.equal(
    [
      (await as(world, 'bot-key')('GET', `/v1/approvals/${ofCi}`)).status,
      (await as(world, 'ci-key')('GET', `/v1/approvals/${ofCi}`)).status,
    ],
    [404, 200],
  )
  assert.is((await as(world, 'ops-key')('POST', '/v1/runs', { task: POST })).status, 403)
  assert.is((await as(world, 'ops-key')('POST', `/v1/approvals/${ofCi}`, approve)).json.by, 'ops')
  assert.is((await as(world, 'ops-key')('POST', `/v1/approvals/${ownApproval}`, approve)).status, 200)
  const done = await waiting(world.runtime, own)
  assert.is(done.status, 'completed')
  const { events } = await eventsOf(world, own)
  assert.equal(
    events.flatMap(({ type, data }) =>
      /run.created|approval.resolved/.test(type) ? [(data as { by?: string }).by] : [],
    ),
    ['both', 'ops'],
  )
})

test('a fork does not make a run of another one that its maker may answer for', async () => {
  const world = await openKeyed()
  const { id } = (await as(world, 'both-key')('POST', '/v1/runs', { task: POST })).json
  await approvalOf(world, id)
  const forked = await as(world, 'both-key')('POST', `/v1/runs/${id}/fork`, { atSeq: 1 })
  const approval = await approvalOf(world, forked.json.id)
  assert.is((await as(world, 'both-key')('POST', `/v1/approvals/${approval}`, { decision: 'approve' })).status, 403)
})

test('one idempotency key of two keys makes two runs', async () => {
  const world = await openKeyed()
  const send = async (key: string) =>
    (
      await world.askAs({ authorization: `Bearer ${key}`, 'idempotency-key': 'same' }, 'POST', '/v1/runs', {
        task: 'What is 6 times 7?',
      })
    ).json.id
  const [ci, bot] = [await send('ci-key'), await send('bot-key')]
  assert.is.not(ci, bot)
  assert.is(await send('ci-key'), ci)
})

test('a key cancels and goes on with its own runs, and who made a run is said', async () => {
  const world = await openKeyed()
  const ci = as(world, 'ci-key')
  const { id, by } = (await ci('POST', '/v1/runs', { task: POST })).json
  assert.is(by, 'ci')
  await approvalOf(world, id)
  assert.is((await ci('POST', `/v1/runs/${id}/cancel`, {})).status, 202)
  const ended = await waiting(world.runtime, id)
  assert.ok(isTerminal(ended.status))
  assert.is((await ci('POST', `/v1/runs/${id}/resume`, {})).json.by, 'ci')
  assert.is((await as(world, OWNER)('POST', '/v1/runs', { task: 'x' })).json.by, 'owner')
  assert.equal((await ci('GET', '/v1/session')).json, { name: 'ci', scopes: ['submit'] })
  assert.is((await as(world, 'root-key')('GET', '/v1/runs')).text.includes(String(id)), true)
})

test('the log says who asked', async () => {
  const lines: { caller?: string; status: number }[] = []
  const world = await open({ server: { keys: () => [OWNER, ...KEYS], log: (line) => lines.push(line) } })
  await as(world, 'ci-key')('GET', '/v1/runs')
  await as(world, OWNER)('GET', '/v1/runs')
  await as(world)('GET', '/v1/runs')
  assert.equal(
    lines.map(({ caller, status }) => [caller, status]),
    [
      ['ci', 200],
      ['owner', 200],
      [undefined, 401],
    ],
  )
})

test('the code of a link is good once, and gives the key of this machine', async () => {
  const world = await open()
  const code = new URL(world.server.consoleLink()).hash.slice('#code='.length)
  const exchange = (given: string) => as(world)('POST', '/v1/session', { code: given })
  assert.is((await exchange(`${code}x`)).status, 401)
  const first = await exchange(code)
  assert.is(first.json.key, world.server.localKey)
  assert.is((await exchange(code)).status, 401)
  const keyed = await openKeyed()
  assert.not.match(keyed.server.consoleLink(), '#')
})

test.run()
