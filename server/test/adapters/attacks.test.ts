/** What a hostile client sends through the protocols of others costs it more than it costs the server. */
import { connect, type Socket } from 'node:net'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import type { ScopedKey } from '../../src/index.ts'
import { endless } from '../fixtures/endless.ts'
import { callTool, connectMcp } from '../fixtures/mcp-client.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { weatherScript } from '../fixtures/openai-client.ts'
import { until } from '../fixtures/until.ts'

const test = serverSuite('attacks through the protocols of others')

/** Sends a request, or the beginning of one, and reads nothing. */
function send({ port }: OpenServer, path: string, body: string, headers: Record<string, string | number> = {}): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  const all = {
    Host: `127.0.0.1:${port}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  return socket
}

test('ten thousand messages of a user in a row are read in one go', async () => {
  const { ask } = await openServer()
  const messages = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'x'.repeat(3_000) }))
  // Each copied all before it, which took minutes.
  const signal = AbortSignal.timeout(60_000)
  const { status, json } = await ask('POST', '/v1/messages', {
    body: { model: 'svc', max_tokens: 9, messages },
    signal,
  })
  assert.is(status, 400)
  assert.match(String((json.error as { message: string }).message), 'at most 200000 characters')
})

test('a body of few bytes and many values is refused before it is read into memory', async () => {
  const { ask, runtime } = await openServer()
  for (const value of ['{}', '[]', '0']) {
    const many = Array(2_000_000).fill(value).join()
    const body = `{"model":"svc","messages":[{"role":"user","content":"hi"}],"metadata":{"a":[${many}]}}`
    const { status, text } = await ask('POST', '/v1/chat/completions', { body })
    assert.is(status, 413, text)
    assert.match(text, 'more than 500000 values')
  }
  assert.is((await runtime.runs.list()).data.length, 0)
})

test('runs that wait for a client that does not come back hold no more than so much for one key', async () => {
  const keys: ScopedKey[] = ['ci', 'bot'].map((name) => ({ name, key: `${name}-key`, scopes: ['submit'] }))
  const { askAs } = await openServer({ script: weatherScript, server: { keys: () => keys } })
  const messages = [
    { role: 'user', content: 'x'.repeat(30_000_000) },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'How is the weather?' },
  ]
  const body = JSON.stringify({
    model: 'svc',
    messages,
    tools: [{ type: 'function', function: { name: 'get_weather' } }],
  })
  const ask = (name: string) => askAs({ authorization: `Bearer ${name}-key` }, 'POST', '/v1/chat/completions', body)
  for (let at = 0; at < 8; at++) assert.is((await ask('ci')).status, 200)
  const refused = await ask('ci')
  assert.is(refused.status, 429, refused.text)
  assert.match(refused.text, 'queue_full')
  const others = await ask('bot')
  assert.is(others.status, 200, others.text)
  // What has ended makes room.
  const runs = await askAs({ authorization: 'Bearer ci-key' }, 'GET', '/v1/runs')
  const [{ id } = { id: '' }] = runs.json.data as { id: string }[]
  await askAs({ authorization: 'Bearer ci-key' }, 'POST', `/v1/runs/${id}/cancel`, {})
  await askAs({ authorization: 'Bearer ci-key' }, 'GET', `/v1/runs/${id}?wait=10000`)
  assert.is((await ask('ci')).status, 200)
})

test('a client of MCP says little of itself, which its session keeps', async () => {
  const { ask } = await openServer()
  const say = (text: string) => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: { a: { text } } },
      clientInfo: { name: 'x', version: '1' },
    }
    return ask('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } })
  }
  assert.is((await say('x'.repeat(1_000))).status, 200)
  const { status, headers } = await say('x'.repeat(100_000))
  assert.is(status, 400)
  assert.is(headers.get('mcp-session-id'), null)
})

test('a response has no more metadata than there may be at OpenAI', async () => {
  const { ask } = await openServer()
  const body = { model: 'svc', input: 'hi' }
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v']))
  for (const metadata of [many, { a: {} }])
    assert.is((await ask('POST', '/v1/responses', { body: { ...body, metadata } })).status, 400)
})

test('a page that is cut off because it reads nothing leaves no run at work', async () => {
  const world = await openServer({
    server: { limits: { sseBufferBytes: 10_000 } },
    plugins: [endless()],
    config: { model: 'endless/endless' },
  })
  const body = { threadId: 't', runId: 'r', messages: [{ id: '1', role: 'user', content: 'Count.' }] }
  const socket = send(world, '/agui', JSON.stringify(body))
  await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
  socket.destroy()
})

test('a key that sends long bodies slowly does not keep those of other keys waiting', async () => {
  const keys: ScopedKey[] = ['ci', 'bot'].map((name) => ({ name, key: `${name}-key`, scopes: ['submit'] }))
  const world = await openServer({ server: { keys: () => keys } })
  const sockets = Array.from({ length: 20 }, () =>
    send(world, '/v1/chat/completions', '{"model":"svc"', {
      Authorization: 'Bearer ci-key',
      'Content-Length': 30_000_000,
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  const body = { model: 'svc', messages: [{ role: 'user', content: 'hi' }], pad: 'x'.repeat(1_200_000) }
  const { status, text } = await world.askAs({ authorization: 'Bearer bot-key' }, 'POST', '/v1/chat/completions', body)
  for (const socket of sockets) socket.destroy()
  assert.is(status, 200, text)
})

test('a page is not asked for approvals of another key whose thread has the same name', async () => {
  const keys: ScopedKey[] = [
    { name: 'ci', key: 'ci-key', scopes: ['submit'] },
    { name: 'boss', key: 'boss-key', scopes: ['admin'] },
  ]
  const script: Script = ({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('Write')
      ? { toolCalls: [{ tool: 'write_file', args: { path: 'a.txt', content: 'a' } }] }
      : 'The answer is 42.'
  const { askAs } = await openServer({ script, server: { keys: () => keys } })
  const ask = async (name: string, content: string): Promise<string> => {
    const body = { threadId: 'main', runId: 'r', messages: [{ id: '1', role: 'user', content }] }
    return (await askAs({ authorization: `Bearer ${name}-key` }, 'POST', '/agui', body)).text
  }
  assert.match(await ask('ci', 'Write a file'), '"interrupts"')
  assert.match(await ask('ci', 'How are you?'), 'interrupts_pending')
  const answered = await ask('boss', 'How are you?')
  assert.match(answered, 'RUN_FINISHED')
  assert.not.match(answered, 'interrupts_pending')
  assert.match(await ask('boss', 'Write a file'), '"interrupts"')
  assert.match(await ask('boss', 'How are you?'), 'interrupts_pending')
})

test('who may see all does not go on with a conversation of another key that has the same name', async () => {
  const keys: ScopedKey[] = [
    { name: 'ci', key: 'ci-key', scopes: ['submit'] },
    { name: 'boss', key: 'boss-key', scopes: ['admin'] },
  ]
  const world = await openServer({ server: { keys: () => keys } })
  const say = (name: string, contextId: string) => {
    const message = { messageId: 'm', contextId, role: 'ROLE_USER', parts: [{ text: 'Use the file evil.txt.' }] }
    const headers = { authorization: `Bearer ${name}-key`, 'a2a-version': '1.0' }
    return world.askAs(headers, 'POST', '/a2a/v1/message:send', { message })
  }
  assert.is((await say('ci', 'project')).status, 200)
  assert.is((await say('ci', 'project')).status, 200)
  assert.match((await say('boss', 'project')).text, 'is taken')
  assert.is((await say('boss', 'other')).status, 200)
  assert.is((await say('boss', 'other')).status, 200)
  const boss = await connectMcp(world, '2025-11-25', { headers: { authorization: 'Bearer boss-key' } })
  const taken = await callTool(boss, 'run', { task: 'hi', threadId: 'project' })
  assert.ok(taken.isError)
  assert.match(taken.text, 'of another key')
  for (const _ of [1, 2]) assert.not.ok((await callTool(boss, 'run', { task: 'hi', threadId: 'mine' })).isError)
  await boss.client.close()
})

test.run()
