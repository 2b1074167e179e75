/** What A2A answers to requests that it refuses, and who may do what. */
import * as assert from 'uvu/assert'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { type Answered, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { createGate, until } from '../fixtures/until.ts'

const test = serverSuite('refusals of A2A')
const VERSION = { 'a2a-version': '1.0' }
const message = (more: object = {}) => ({
  message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'What is 6 times 7?' }], ...more },
})

interface RpcError {
  code: number
  message: string
  data: { '@type': string; reason?: string; domain?: string; fieldViolations?: { field: string }[] }[]
}

const call = (
  world: OpenServer,
  method: unknown,
  params: unknown,
  headers: Record<string, string> = VERSION,
): Promise<Answered> => world.ask('POST', '/a2a', { body: { jsonrpc: '2.0', id: 7, method, params }, headers })
const errorOf = ({ json }: Answered): RpcError => json.error as RpcError

test('each refusal of JSON-RPC has the code of the protocol, and says what would be right', async () => {
  const world = await openServer()
  const cases: [method: unknown, params: unknown, code: number, says: RegExp, headers?: Record<string, string>][] = [
    ['SendMessage', message(), -32009, /A2A-Version: 1\.0/, {}],
    ['SendMessage', message(), -32009, /A2A 0\.3/, { 'a2a-version': '0.3' }],
    ['message/send', message(), -32601, /SendMessage/],
    [7, {}, -32600, /jsonrpc/],
    ['SendMessage', {}, -32602, /message/],
    ['SendMessage', message({ role: 'ROLE_AGENT' }), -32602, /role/],
    ['SendMessage', message({ parts: [] }), -32602, /parts/],
    ['SendMessage', message({ parts: [{ data: 1 }] }), -32602, /a text that says what to do/],
    ['SendMessage', message({ contextId: '../x' }), -32602, /contextId/],
    ['SendMessage', message({ parts: [{ text: 'See' }, { url: 'http://127.0.0.1/a.png' }] }), -32005, /is not fetched/],
    [
      'SendMessage',
      message({ parts: [{ text: 'See' }, { raw: 'AAAA', mediaType: 'audio/wav' }] }),
      -32005,
      /audio\/wav/,
    ],
    [
      'SendMessage',
      { ...message(), configuration: { taskPushNotificationConfig: { url: 'http://127.0.0.1' } } },
      -32003,
      /push/,
    ],
    ['SendMessage', message({ taskId: 'run_nothing' }), -32001, /no task/],
    ['GetTask', { id: 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, -32001, /run_01ARZ3NDEKTSV4RRFFQ69G5FAV/],
    ['SubscribeToTask', { id: 'x' }, -32001, /no task "x"/],
    ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 'http://127.0.0.1' }, -32003, /push/],
    ['GetExtendedAgentCard', undefined, -32004, /agent-card\.json/],
    ['ListTasks', { status: 'DONE' }, -32602, /TASK_STATE_/],
    ['ListTasks', { pageSize: 0 }, -32602, /pageSize/],
    ['ListTasks', { pageToken: 'nothing' }, -32602, /nothing/],
    ['ListTasks', { statusTimestampAfter: 'soon' }, -32602, /ISO/],
  ]
  for (const [method, params, code, says, headers] of cases) {
    const answered = await call(world, method, params, headers)
    const error = errorOf(answered)
    const seen = `${method} ${JSON.stringify(params)}: ${answered.status} ${answered.text}`
    assert.is(answered.status, 200, seen)
    assert.is(answered.json.id, 7, seen)
    assert.is(error.code, code, seen)
    assert.match(error.message, says)
    assert.is(error.data[0]?.domain, 'a2a-protocol.org', seen)
  }
  assert.is((await world.runtime.runs.list()).data.length, 0)
  assert.is((await world.runtime.threads.list()).data.length, 0)
})

test('HTTP+JSON answers the same with a status', async () => {
  const world = await openServer()
  const cases: [
    method: string,
    path: string,
    status: number,
    reason: string,
    body?: object,
    headers?: Record<string, string>,
  ][] = [
    ['POST', '/message:send', 400, 'VERSION_NOT_SUPPORTED', message(), {}],
    ['POST', '/message:send', 400, 'INVALID_PARAMS', {}],
    ['POST', '/message:send', 400, 'CONTENT_TYPE_NOT_SUPPORTED', message({ parts: [{ text: 'a' }, { url: 'x' }] })],
    ['GET', '/tasks/nothing', 404, 'TASK_NOT_FOUND'],
    ['POST', '/tasks/nothing:cancel', 404, 'TASK_NOT_FOUND'],
    ['POST', '/tasks/nothing:subscribe', 404, 'TASK_NOT_FOUND'],
    ['GET', '/tasks/nothing/pushNotificationConfigs/1', 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['GET', '/extendedAgentCard', 400, 'UNSUPPORTED_OPERATION'],
    ['GET', '/tasks?pageSize=1000', 400, 'INVALID_PARAMS'],
    ['PUT', '/tasks', 405, 'METHOD_NOT_ALLOWED'],
  ]
  for (const [method, path, status, reason, body, headers = VERSION] of cases) {
    const answered = await world.ask(method, `/a2a/v1${path}`, { headers, ...(body && { body }) })
    const { error } = answered.json as { error: { code: number; details: { reason: string }[] } }
    const seen = `${method} ${path}: ${answered.status} ${answered.text}`
    assert.is(answered.status, status, seen)
    assert.is(error.code, status, seen)
    assert.is(error.details[0]?.reason, reason, seen)
  }
  const typed = await world.ask('POST', '/a2a/v1/message:send', {
    body: message(),
    headers: { ...VERSION, 'content-type': 'application/a2a+json', accept: 'application/a2a+json' },
  })
  assert.is(typed.status, 200)
  assert.match(typed.headers.get('content-type') ?? '', /^application\/a2a\+json/)
  const named = await world.ask('GET', '/a2a/v1/tasks?A2A-Version=1.0')
  assert.is(named.status, 200)
})

test('a body that is no JSON, and one of another type, is refused in the shape of JSON-RPC', async () => {
  const world = await openServer()
  const broken = await world.ask('POST', '/a2a', { body: '{"jsonrpc":', headers: VERSION })
  assert.is(errorOf(broken).code, -32700)
  const typed = await world.ask('POST', '/a2a', { body: '{}', headers: { ...VERSION, 'content-type': 'text/plain' } })
  assert.is(typed.status, 415)
  assert.is(errorOf(typed).code, -32005)
})

const KEYS = [
  { name: 'ann', key: 'a'.repeat(43), scopes: ['submit'] as const },
  { name: 'ben', key: 'b'.repeat(43), scopes: ['submit'] as const },
  'o'.repeat(43),
]
const as = (letter: string) => ({ ...VERSION, authorization: `Bearer ${letter.repeat(43)}` })

test('a key sees its own tasks alone, and answers no approval of its own', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()], server: { keys: () => KEYS } })
  const card = await world.askAs({}, 'GET', '/.well-known/agent-card.json')
  assert.equal(card.json.securityRequirements, [{ schemes: { bearer: { list: [] } } }])
  const nobody = await world.askAs(VERSION, 'POST', '/a2a', { jsonrpc: '2.0', id: 1, method: 'ListTasks' })
  assert.is(nobody.status, 401)
  assert.ok(errorOf(nobody).message)
  assert.ok(nobody.headers.get('www-authenticate'))

  const task = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Post a message to the team' }] }
  const send = (letter: string, more: object = {}) =>
    world.askAs(as(letter), 'POST', '/a2a/v1/message:send', { message: { ...task, contextId: 'talk', ...more } })
  const made = (await send('a')).json.task as { id: string; status: { state: string } }
  assert.is(made.status.state, 'TASK_STATE_INPUT_REQUIRED')
  assert.is((await world.askAs(as('b'), 'GET', `/a2a/v1/tasks/${made.id}`)).status, 404)
  assert.equal((await world.askAs(as('b'), 'GET', '/a2a/v1/tasks')).json.tasks, [])
  assert.is((await world.askAs(as('b'), 'POST', `/a2a/v1/tasks/${made.id}:cancel`)).status, 404)
  const taken = await send('b')
  assert.is(taken.status, 400)
  assert.match(taken.text, /is taken/)

  const own = await send('a', { taskId: made.id, parts: [{ data: { approved: true } }] })
  assert.is(own.status, 403)
  assert.is((await world.runtime.runs.get(made.id)).status, 'waiting')
  const answered = await send('o', { taskId: made.id, parts: [{ data: { approved: true } }] })
  assert.is((answered.json.task as typeof made).status.state, 'TASK_STATE_COMPLETED')
})

test('the same request under one Idempotency-Key makes one task in one context', async () => {
  const world = await openServer()
  const headers = { ...VERSION, 'idempotency-key': 'once' }
  const first = await world.ask('POST', '/a2a/v1/message:send', { body: message(), headers })
  const again = await world.ask('POST', '/a2a/v1/message:send', { body: message(), headers })
  assert.is((again.json.task as { id: string }).id, (first.json.task as { id: string }).id)
  assert.is(again.headers.get('idempotency-replayed'), 'true')
  assert.is((await world.runtime.threads.list()).data.length, 1)
})

test('names as the protocol buffers have them are read too, and null is nothing', async () => {
  const world = await openServer()
  const asked = {
    message_id: 'm',
    role: 'ROLE_USER',
    context_id: 'talk',
    task_id: null,
    parts: [{ text: 'Hello', data: null }],
  }
  const sent = await call(world, 'SendMessage', { message: asked, configuration: { history_length: 0 } })
  const { task } = sent.json.result as { task: { id: string; contextId: string; history?: unknown } }
  assert.is(task.contextId, 'talk')
  assert.is(task.history, undefined)
  const got = await call(world, 'GetTask', { id: task.id, history_length: 0 })
  assert.is((got.json.result as typeof task).history, undefined)
})

test('images and PDFs come inline, and data beside the text', async () => {
  const world = await openServer()
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  const parts = [
    { text: 'What is it?' },
    { raw: pixel, mediaType: 'image/png', filename: 'dot.png' },
    { data: { a: 1 } },
  ]
  const answered = await world.ask('POST', '/a2a/v1/message:send', { body: message({ parts }), headers: VERSION })
  assert.is(answered.status, 200)
  const sent = JSON.stringify(world.provider.requests.at(-1)?.messages)
  assert.match(sent, /dot\.png/)
  assert.match(sent, /\\"a\\":1|"a":1/)
})

test('a server that is about to end takes no message, and still shows tasks', async () => {
  const gate = createGate()
  const world = await openServer({
    script: async () => {
      await gate.passed
      return 'The answer is 42.'
    },
  })
  const running = world.ask('POST', '/a2a/v1/message:send', { body: message({ contextId: 'talk' }), headers: VERSION })
  await until(() => world.provider.requests.length === 1)
  const closing = world.server.close(60_000)
  const refused = await call(world, 'SendMessage', message())
  assert.is(refused.status, 503)
  assert.match(errorOf(refused).message, /about to end/)
  assert.is((await call(world, 'ListTasks', {})).status, 200)
  gate.open()
  assert.is((await running).status, 200)
  await closing
})

test('the protocol can be switched off', async () => {
  const world = await openServer({ server: { adapters: { a2a: false } } })
  assert.is((await world.ask('GET', '/.well-known/agent-card.json')).status, 404)
  assert.is((await world.ask('POST', '/a2a', { body: {} })).status, 404)
})

test.run()
