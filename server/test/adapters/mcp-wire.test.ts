/** The MCP server as it is on the wire: who may speak, what is refused and how, sessions, and clients that break off. */
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { callTool, connectMcp, ERAS } from '../fixtures/mcp-client.ts'
import { type Answered, askWith, type OpenServer, openServer, sendRaw, serverSuite } from '../fixtures/open-server.ts'
import { pausing, until } from '../fixtures/until.ts'

const test = serverSuite('the MCP server on the wire')

const NOW = '2026-07-28'
const BOTH = { accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': NOW,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const legacy = (method: string, params: object = {}, id: number | undefined = 1) => ({
  jsonrpc: '2.0',
  method,
  params,
  ...(id && { id }),
})
const initialize = legacy('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})
const modern = (method: string, params: object = {}) => legacy(method, { ...params, _meta: META })
const modernHeaders = (method: string, name?: string) => ({
  ...BOTH,
  'mcp-protocol-version': NOW,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
})

const send = (world: OpenServer, body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  world.ask('POST', '/mcp', { body, headers: { ...BOTH, ...headers } })

/** The messages of a stream of events. */
const messagesOf = ({ text }: Answered): Record<string, never>[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))

const errorOf = ({ json }: Answered): { code: number; message: string; data?: { code?: string } } => json.error as never

async function begin(world: OpenServer, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { status, headers: answered } = await send(world, initialize, headers)
  assert.is(status, 200)
  const session = {
    'mcp-session-id': answered.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
    ...headers,
  }
  assert.is((await send(world, legacy('notifications/initialized', {}, 0), session)).status, 202)
  return session
}

test('a request without a key where one is set is 401, and says how to send one', async () => {
  const world = await openServer({ server: { keys: () => ['a-key'] } })
  for (const headers of [{}, { authorization: 'Bearer other' }] as Record<string, string>[])
    for (const method of ['POST', 'GET', 'DELETE']) {
      const refused = await world.askAs(
        { ...BOTH, ...headers },
        method,
        '/mcp',
        method === 'POST' ? initialize : undefined,
      )
      assert.is(refused.status, 401)
      assert.match(refused.headers.get('www-authenticate') ?? '', /Bearer/)
      assert.is(errorOf(refused).data?.code, 'unauthenticated')
    }
})

test('a key that may not submit is 403', async () => {
  const key = 'k'.repeat(40)
  const world = await openServer({ server: { keys: () => [{ name: 'on-call', key, scopes: ['approve'] }] } })
  const refused = await send(world, initialize, { authorization: `Bearer ${key}` })
  assert.is(refused.status, 403)
  assert.is(errorOf(refused).data?.code, 'policy_denied')
})

test('a foreign Host is 421 and a foreign Origin 403, as JSON-RPC', async () => {
  const { port } = await openServer()
  const body = JSON.stringify(initialize)
  const headers = { ...BOTH, 'content-type': 'application/json', 'content-length': String(body.length) }
  const hosted = await askWith(port, '/mcp', { ...headers, host: 'evil.example' }, 'POST', body)
  assert.is(hosted.status, 421)
  assert.is(hosted.json.jsonrpc, '2.0')
  const host = `127.0.0.1:${port}`
  const foreign = await askWith(port, '/mcp', { ...headers, host, origin: 'http://evil.example' }, 'POST', body)
  assert.is(foreign.status, 403)
  assert.is(foreign.json.jsonrpc, '2.0')
  assert.is((await askWith(port, '/mcp', { ...headers, host, origin: `http://${host}` }, 'POST', body)).status, 200)
})

test('what is no message is refused as JSON-RPC has it', async () => {
  const world = await openServer()
  for (const [body, status, code] of [
    ['{"jsonrpc":', 400, -32_700],
    ['', 400, undefined],
    ['{}', 400, undefined],
    ['[]', 400, undefined],
    ['"x"', 400, undefined],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, undefined],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, undefined],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"x":1}}', 400, undefined],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 400, -32_700],
  ] as [string, number, number | undefined][]) {
    const answered = await world.ask('POST', '/mcp', { body, headers: { ...BOTH, 'content-type': 'application/json' } })
    assert.is(answered.status, status, `${body.slice(0, 60)}: ${answered.text}`)
    assert.is(answered.json.jsonrpc, '2.0', answered.text)
    if (code !== undefined) assert.is(errorOf(answered).code, code, answered.text)
  }
  const plain = await world.ask('POST', '/mcp', { body: 'x', headers: { ...BOTH, 'content-type': 'text/plain' } })
  assert.is(plain.status, 415)
  assert.is((await send(world, initialize, { accept: 'text/html' })).status, 406)
})

test('a body that is too long is 413, and a task of a megabyte is refused with its limit', async () => {
  const world = await openServer({ server: { limits: { conversationBytes: 2_000_000 } } })
  const call = (task: string) => modern('tools/call', { name: 'run', arguments: { task } })
  const headers = modernHeaders('tools/call', 'run')
  assert.is((await send(world, call('x'.repeat(2_000_000)), headers)).status, 413)
  const [answer] = messagesOf(await send(world, call('x'.repeat(1_000_000)), headers))
  assert.match(JSON.stringify(answer), /200.?000/)
  assert.is((answer?.result as unknown as { isError: boolean } | undefined)?.isError, true)
})

test('headers of the current revision that do not say what the body says are 400', async () => {
  const world = await openServer()
  const body = modern('tools/list')
  const right = modernHeaders('tools/list')
  assert.is((await send(world, body, right)).status, 200)
  for (const [headers, code] of [
    [{ ...right, 'mcp-method': 'prompts/list' }, -32_020],
    [{ ...right, 'mcp-protocol-version': '2025-11-25' }, -32_020],
    [BOTH, -32_020],
  ] as [Record<string, string>, number][]) {
    const answered = await send(world, body, headers)
    assert.is(answered.status, 400)
    assert.is(errorOf(answered).code, code)
  }
  const unknown = { ...body, params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } } }
  const answered = await send(world, unknown, { ...right, 'mcp-protocol-version': '2099-01-01' })
  assert.is(answered.status, 400)
  assert.is(errorOf(answered).code, -32_022)
})

test('a request of an earlier revision needs no session, and its version has to be one that is known', async () => {
  const world = await openServer()
  const [listed] = messagesOf(await send(world, legacy('tools/list')))
  assert.is((listed?.result as unknown as { tools: unknown[] } | undefined)?.tools.length, 3)
  const session = await begin(world)
  assert.is((await send(world, legacy('ping'), { ...session, 'mcp-protocol-version': '1999-01-01' })).status, 400)
})

test('several messages at once are answered, as the first revision has it', async () => {
  const world = await openServer()
  const session = await begin(world)
  const calls = Array.from({ length: 20 }, (_, id) =>
    legacy('tools/call', { name: 'run', arguments: { task: `Task ${id}` } }, id + 1),
  )
  const answers = messagesOf(await send(world, calls, session))
  assert.equal(
    answers.map(({ id }) => id as unknown as number).sort((a, b) => a - b),
    calls.map(({ id }) => id),
  )
})

test('a session belongs to the key that began it', async () => {
  const world = await openServer({ server: { keys: () => ['one-key', 'other-key'] } })
  const mine = await begin(world, { authorization: 'Bearer one-key' })
  assert.is((await send(world, legacy('ping'), mine)).status, 200)
  for (const method of ['POST', 'GET', 'DELETE']) {
    const headers = { ...mine, ...BOTH, authorization: 'Bearer other-key' }
    const answered = await world.ask(method, '/mcp', { headers, ...(method === 'POST' && { body: legacy('ping') }) })
    assert.is(answered.status, 404)
    assert.is(errorOf(answered).code, -32_001)
  }
  assert.is((await send(world, legacy('ping'), mine)).status, 200)
})

test("where no key is set, a session of who has the key of this machine is nobody else's", async () => {
  const world = await openServer()
  const mine = await begin(world)
  const answered = await world.askAs({ ...BOTH, ...mine }, 'POST', '/mcp', legacy('ping'))
  assert.is(answered.status, 404)
})

test('a session ends when its client says so, with what it waits for', async () => {
  const model = pausing()
  const world = await openServer({ script: model.script })
  const session = await begin(world)
  const call = send(world, legacy('tools/call', { name: 'run', arguments: { task: 'Think' } }, 7), session)
  await model.isAsked
  assert.is((await world.ask('DELETE', '/mcp', { headers: session })).status, 200)
  await call
  await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
  assert.is((await send(world, legacy('ping'), session)).status, 404)
  assert.is((await world.ask('DELETE', '/mcp', { headers: session })).status, 404)
})

test('there is no stream and nothing to end without a session', async () => {
  const world = await openServer()
  for (const method of ['GET', 'DELETE']) {
    const answered = await world.ask(method, '/mcp', { headers: BOTH })
    assert.is(answered.status, 405)
    assert.is(answered.headers.get('allow'), 'POST')
  }
  const put = await world.ask('PUT', '/mcp', { body: {} })
  assert.is(put.status, 405)
  assert.is(put.json.jsonrpc, '2.0')
})

test('of more than a thousand sessions those go that were not used for the longest time', async () => {
  const world = await openServer()
  const [first, second] = [await begin(world), await begin(world)]
  for (let made = 2; made < 1_000; made++) await send(world, initialize)
  await send(world, legacy('ping'), first)
  await send(world, initialize)
  assert.is((await send(world, legacy('ping'), first)).status, 200)
  assert.is((await send(world, legacy('ping'), second)).status, 404)
})

test('a hundred calls at once are answered, each with its own run', async () => {
  const world = await openServer({ config: { server: { limits: { queuedRuns: 1_000 } } } })
  for (const era of ERAS) {
    const mcp = await connectMcp(world, era)
    const told = await Promise.all(
      Array.from({ length: 100 }, (_, index) => callTool(mcp, 'run', { task: `Task ${index}` })),
    )
    assert.ok(told.every(({ text }) => text === 'The answer is 42.'))
    assert.is(new Set(told.map(({ output }) => output.runId)).size, 100)
    await mcp.client.close()
  }
})

test('a client whose connection breaks in the middle ends its run', async () => {
  for (const [body, headers] of [
    [modern('tools/call', { name: 'run', arguments: { task: 'Think' } }), modernHeaders('tools/call', 'run')],
    [legacy('tools/call', { name: 'run', arguments: { task: 'Think' } }), BOTH],
  ] as const) {
    const model = pausing()
    const world = await openServer({ script: model.script })
    const text = JSON.stringify(body)
    const socket = connect(world.port, '127.0.0.1')
    const lines = Object.entries({
      host: `127.0.0.1:${world.port}`,
      'content-type': 'application/json',
      'content-length': text.length,
      ...headers,
    })
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`)
    await model.isAsked
    socket.destroy()
    await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
    await world.close()
  }
})

test('half a request harms nobody', async () => {
  const world = await openServer()
  const text = JSON.stringify(initialize)
  await sendRaw(
    world.port,
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${world.port}\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n${text}`,
    true,
  )
  assert.is((await send(world, initialize)).status, 200)
})

test('a result of many megabytes arrives whole', async () => {
  const content = 'a line of a long file\n'.repeat(300_000)
  const world = await openServer({
    plugins: [posting()],
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? 'Written.'
        : { toolCalls: [{ tool: 'write_note', args: { path: 'long.txt', content } }] },
  })
  for (const era of ERAS) {
    const mcp = await connectMcp(world, era, {
      answer: () => ({ action: 'accept', content: { decision: 'approve' } }),
    })
    const { output } = await callTool(mcp, 'run', { task: 'Write it', topology: 'SINGLE' })
    const [file] = output.files as { uri: string }[]
    const [read] = (await mcp.client.readResource({ uri: file?.uri ?? '' })).contents
    assert.is((read as { text: string }).text.length, content.length)
    await mcp.client.close()
  }
})

test('a run whose person was asked goes on with the answer in another process of the same store', async () => {
  const options = {
    script: postingScript,
    plugins: [posting()],
    runtime: { persist: { dir: makeFolder() } },
  }
  const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const call = { name: 'run', arguments: { task: 'Post a message to the team', topology: 'SINGLE' }, _meta: meta }
  const headers = modernHeaders('tools/call', 'run')
  const first = await openServer(options)
  const [asked] = messagesOf(await send(first, legacy('tools/call', call), headers))
  const {
    resultType,
    inputRequests = {},
    requestState,
  } = (asked?.result ?? {}) as {
    resultType?: string
    inputRequests?: Record<string, unknown>
    requestState?: string
  }
  assert.is(resultType, 'input_required')
  await first.close()
  const second = await openServer(options)
  const answer = { action: 'accept', content: { decision: 'approve' } }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]))
  const told = messagesOf(await send(second, legacy('tools/call', { ...call, requestState, inputResponses }), headers))
  assert.match(JSON.stringify(told.at(-1)), /I posted the message/)
})

test('the same Idempotency-Key makes one run', async () => {
  const world = await openServer()
  const call = modern('tools/call', { name: 'run', arguments: { task: 'Once' } })
  const headers = { ...modernHeaders('tools/call', 'run'), 'idempotency-key': 'once' }
  const texts = await Promise.all([1, 2].map(async () => JSON.stringify(messagesOf(await send(world, call, headers)))))
  assert.is((await world.runtime.runs.list()).data.length, 1)
  assert.is(texts[0]?.match(/run_\w+/)?.[0], texts[1]?.match(/run_\w+/)?.[0])
})

test('streams that have no end of their own do not keep a server that is about to end', async () => {
  const world = await openServer()
  const session = await begin(world)
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const streams = await Promise.all([
    fetch(`${world.url}/mcp`, {
      headers: { ...session, 'x-api-key': world.server.localKey, accept: 'text/event-stream' },
    }),
    fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: { ...modernHeaders('subscriptions/listen'), 'content-type': 'application/json' },
      body: JSON.stringify(listen),
    }),
  ])
  assert.equal(
    streams.map(({ status, headers }) => [status, headers.get('content-type')?.split(';')[0]]),
    [
      [200, 'text/event-stream'],
      [200, 'text/event-stream'],
    ],
  )
  const ended = streams.map((stream) => stream.text().catch(() => 'cut'))
  await world.server.close(600_000)
  await Promise.all(ended)
})

test('a page of an origin that is allowed may speak it', async () => {
  const origin = 'https://inspector.example'
  const world = await openServer({ server: { allowedOrigins: [origin] } })
  const names = 'mcp-session-id, mcp-protocol-version, mcp-method, mcp-name'
  const asked = await world.ask('OPTIONS', '/mcp', { headers: { origin, 'access-control-request-headers': names } })
  assert.is(asked.headers.get('access-control-allow-headers'), names)
  const begun = await send(world, initialize, { origin })
  assert.match(begun.headers.get('access-control-expose-headers') ?? '', /Mcp-Session-Id/)
})

test('it can be switched off', async () => {
  const world = await openServer({ server: { adapters: { mcp: false } } })
  const answered = await send(world, initialize)
  assert.is(answered.status, 404)
  assert.is(answered.json.code, 'route_not_found')
})

test.run()
