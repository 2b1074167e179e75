/** S40: what is of one person is not there for another, on any route of the table, in streams, and in the protocols of others. */
import * as assert from 'uvu/assert'
import { ROUTES, type Route, type ScopedKey } from '../../src/index.ts'
import { goodRequests, makeThings, posting, postingScript } from '../fixtures/good-requests.ts'
import { type IdentityProvider, openIdentityProvider } from '../fixtures/identity-provider.ts'
import { type Answered, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S40 people apart')
const SECRET = 'violet-heron-4711'
const KEYS: readonly ScopedKey[] = [
  { name: 'alice', key: 'alice-key', scopes: ['submit'] },
  { name: 'bob', key: 'bob-key', scopes: ['submit'] },
]

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>

interface World {
  server: OpenServer
  alice: Ask
  bob: Ask
  headersOfBob: Record<string, string>
}

const asBearer =
  (server: OpenServer, bearer: string): Ask =>
  (method, path, body, headers = {}) =>
    server.askAs({ authorization: `Bearer ${bearer}`, ...headers }, method, path, body)

const open = (more: object) =>
  openServer({ script: postingScript, plugins: [posting()], server: { keys: () => ['owner-key', ...KEYS], ...more } })

let provider: IdentityProvider
test.before(async () => {
  provider = await openIdentityProvider()
  provider.people.set('alice', { sub: 'a1', preferred_username: 'sam', groups: ['makers'] })
  // Of the same name: it is not by names that they are kept apart.
  provider.people.set('bob', { sub: 'b1', preferred_username: 'sam', groups: ['makers'] })
})
test.after(() => provider.close())

const WAYS: readonly (readonly [name: string, open: () => Promise<World>])[] = [
  [
    'two keys',
    async () => {
      const server = await open({})
      return {
        server,
        alice: asBearer(server, 'alice-key'),
        bob: asBearer(server, 'bob-key'),
        headersOfBob: { authorization: 'Bearer bob-key' },
      }
    },
  ],
  [
    'two people of a provider',
    async () => {
      const server = await open({ oidc: provider.config() })
      const [a, b] = [await provider.token('alice'), await provider.token('bob')]
      return {
        server,
        alice: asBearer(server, a),
        bob: asBearer(server, b),
        headersOfBob: { authorization: `Bearer ${b}` },
      }
    },
  ],
]

const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const MCP = { accept: 'application/json, text/event-stream' }
const A2A = { 'a2a-version': '1.0' }

/** What Alice has, each thing by its id. */
async function fill({ server, alice }: World) {
  const task = `Remember ${SECRET}`
  const run = await alice('POST', '/v1/runs?wait=60000', { task, tags: [SECRET] })
  assert.is(run.status, 201, run.text)
  const wrote = await alice('POST', '/v1/runs', { task: `Write the note ${SECRET}`, approval: 'wait' })
  const { waiting } = await server.runtime.runs.wait(String(wrote.json.id), 60_000)
  const thread = await alice('POST', '/v1/threads', { title: SECRET })
  await alice('POST', '/v1/runs?wait=60000', { task, threadId: thread.json.id })
  const memory = await alice('POST', '/v1/memory', { content: `The code is ${SECRET}.` })
  const response = await alice('POST', '/v1/responses', { model: 'svc', input: task, store: true })
  assert.is(response.status, 200, response.text)
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: task }] }
  const sent = await alice('POST', '/a2a/v1/message:send', { message }, A2A)
  const taskId = (sent.json.task as { id?: string } | undefined)?.id
  return {
    runId: String(run.json.id),
    waitingId: String(wrote.json.id),
    approvalId: String(waiting?.approvals?.[0]?.id ?? 'none'),
    threadId: String(thread.json.id),
    memoryId: String(memory.json.id),
    responseId: String(response.json.id),
    taskId: String(taskId ?? run.json.id),
  }
}
type Things = Awaited<ReturnType<typeof fill>>

/** The path of a route, about what is of Alice; undefined where it names nothing. */
function pathOf({ path }: Route, things: Things, ownId: string): string | undefined {
  if (!path.includes('{')) return undefined
  const kinds: [RegExp, string][] = [
    [/^\/v1\/runs\/\{a\}\/diff\/\{b\}$/, `/v1/runs/${ownId}/diff/${things.runId}`],
    [/^\/v1\/runs\/\{id\}/, `/v1/runs/${things.runId}`],
    [/^\/v1\/threads\/\{id\}/, `/v1/threads/${things.threadId}`],
    [/^\/v1\/memory\/\{id\}/, `/v1/memory/${things.memoryId}`],
    [/^\/v1\/approvals\/\{id\}/, `/v1/approvals/${things.approvalId}`],
    [/^\/v1\/responses\/\{\w+\}/, `/v1/responses/${things.responseId}`],
    [/^\/a2a\/v1\/tasks\/\{\w+\}/, `/a2a/v1/tasks/${things.taskId}`],
  ]
  for (const [begin, own] of kinds)
    if (begin.test(path))
      return path
        .replace(begin, own)
        .replace('{seq}', '1')
        .replace('{artifactId}', 'artifact-1')
        .replaceAll(/\{\w+\}/g, 'x')
  return undefined
}

/** Routes whose things are for all who have a key, or for admins alone, and those that keep nothing: no notification is sent. */
const OF_ALL = /pushNotificationConfigs|^(GET|PUT|DELETE) \/v1\/agents|\/v1\/models|\/v1\/experiments/
/** Refused to everybody who is no admin, before anything is looked for. */
const FOR_ADMINS = [
  'DELETE /v1/runs/{id}',
  'POST /v1/runs/{id}/undo',
  'POST /v1/approvals/{id}',
  'DELETE /v1/responses/{id}',
]

for (const [way, openWay] of WAYS) {
  test(`${way}: what is of one is not there for the other, on any route that names something`, async () => {
    const world = await openWay()
    const things = await fill(world)
    const { bob, alice } = world
    const own = String((await bob('POST', '/v1/runs?wait=60000', { task: 'What is 6 times 7?' })).json.id)
    const bodies: Record<string, unknown> = {
      'POST /v1/runs/{id}/fork': { atSeq: 1 },
      'PATCH /v1/memory/{id}': { kind: 'fact' },
      'POST /v1/approvals/{id}': { decision: 'approve' },
      'POST /v1/runs/{id}/messages': { text: 'Stop.' },
    }
    const missed: string[] = []
    let tried = 0
    for (const route of ROUTES.filter(({ path }) => path.includes('{'))) {
      const path = pathOf(route, things, own)
      if (path === undefined || OF_ALL.test(nameOf(route))) {
        if (!OF_ALL.test(nameOf(route))) missed.push(nameOf(route))
        continue
      }
      tried++
      const far = route.query !== undefined && 'all' in route.query.properties ? '?all=1' : ''
      const body = route.method === 'GET' ? undefined : (bodies[nameOf(route)] ?? {})
      const headers = path.startsWith('/a2a') ? A2A : {}
      const { status, text } = await bob(route.method, `${path}${far}`, body, headers)
      const isGone = status === 404 || (status === 403 && FOR_ADMINS.includes(nameOf(route)))
      assert.ok(isGone, `${nameOf(route)}: ${status} ${text.slice(0, 300)}`)
      assert.not.match(text, SECRET, nameOf(route))
    }
    assert.equal(missed, [], 'routes of which nobody has said whose things they name')
    assert.ok(tried >= 25, `${tried}`)
    // All of it is there for Alice, as it was.
    for (const path of [
      `/v1/runs/${things.runId}`,
      `/v1/threads/${things.threadId}`,
      `/v1/memory/${things.memoryId}`,
      `/v1/approvals/${things.approvalId}`,
      `/v1/responses/${things.responseId}`,
    ])
      assert.is((await alice('GET', path)).status, 200, path)
    assert.is((await world.server.runtime.runs.get(things.waitingId)).status, 'waiting')
  })

  test(`${way}: no list, sum, search, or answer of another protocol has what is of the other`, async () => {
    const world = await openWay()
    const things = await fill(world)
    const isOf = new RegExp([SECRET, ...Object.values(things)].join('|'))
    const good = goodRequests(await makeThings(world.server))
    for (const route of ROUTES.filter(({ path }) => !path.includes('{'))) {
      const name = nameOf(route)
      if (/\/v1\/events|\/v1\/session|\/metrics|^GET \/(health|livez|readyz|openapi)/.test(name)) continue
      const { path = route.path, body } = good[name] ?? { body: route.method === 'GET' ? undefined : {} }
      const far =
        route.query !== undefined && 'all' in route.query.properties ? `${path.includes('?') ? '&' : '?'}all=1` : ''
      const { text } = await world.bob(route.method, path + far, body, A2A)
      assert.not.match(text, isOf, name)
    }
    for (const path of [
      `/v1/runs?q=${SECRET}&all=1`,
      `/v1/runs?tag=${SECRET}`,
      `/v1/threads?q=${SECRET}`,
      '/v1/approvals?status=pending&all=1',
      '/v1/memory?limit=100',
    ])
      assert.not.match((await world.bob('GET', path)).text, isOf, path)
    for (const path of ['/v1/runs', '/v1/threads', '/v1/approvals', '/v1/memory'])
      assert.match((await world.alice('GET', path)).text, isOf, `${path}: it is there for who has it`)
    const found = await world.bob('POST', '/v1/memory/query', { query: `What is the code ${SECRET}?` })
    assert.equal([found.status, found.text.includes(things.memoryId)], [200, false])
    const counted = (await world.bob('GET', '/v1/runs-summary?all=1')).json
    const { data } = (await world.bob('GET', '/v1/runs?limit=100')).json as { data: unknown[] }
    assert.is(Object.values(counted)[0], data.length)
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_run', arguments: { id: things.runId } },
    }
    assert.not.match((await world.bob('POST', '/mcp', call, MCP)).text, SECRET)
  })

  test(`${way}: one stream has nothing of the other's, whatever it asks to follow`, async () => {
    const world = await openWay()
    const things = await fill(world)
    const headers = { ...world.headersOfBob, accept: 'text/event-stream' }
    const followed = await world.bob('GET', `/v1/events?run=${things.runId}`, undefined, {
      accept: 'text/event-stream',
    })
    assert.not.match(followed.text, SECRET)
    const stop = new AbortController()
    const { body } = await fetch(`${world.server.url}/v1/events?all=1`, { headers, signal: stop.signal })
    const reader = body?.getReader()
    const hidden = await world.alice('POST', '/v1/runs?wait=60000', { task: `Remember ${SECRET}` })
    const shown = await world.bob('POST', '/v1/runs?wait=60000', { task: 'What is 6 times 7?' })
    let text = ''
    while (!(text.includes('run.completed') && text.includes(String(shown.json.id))))
      text += Buffer.from((await reader?.read())?.value ?? []).toString()
    stop.abort()
    assert.not.match(text, new RegExp(`${SECRET}|${hidden.json.id}`))
    const direct = await fetch(`${world.server.url}/v1/runs/${things.runId}/events`, { headers })
    assert.is(direct.status, 404)
    await direct.text()
  })
}

test.run()
