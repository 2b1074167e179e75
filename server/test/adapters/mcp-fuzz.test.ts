/** Messages that no client would send: each is answered or refused, and nothing breaks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@svc/core'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('mutated messages to the MCP server')

const REQUESTS = process.env.SVC_NIGHTLY === '1' ? 100_000 : 300
/** A server keeps its runs in memory here: so many requests, then another one. */
const PER_SERVER = 10_000
const SEED = fc.readConfigureGlobal()?.seed ?? 0

const NOW = '2026-07-28'
const META = 'io.modelcontextprotocol'
const METHODS = [
  'initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'resources/read', 'resources/templates/list',
  'prompts/list', 'prompts/get', 'server/discover', 'logging/setLevel', 'completion/complete', 'elicitation/create',
  'notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'tasks/list', '', 'x',
] // biome-ignore format: a list

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('', '\u0000', '-1', '__proto__', 'constructor'))
const odd: fc.Arbitrary<unknown> = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text)
const runId = fc.constantFrom('run_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'run_', '../run', '')

/** Mostly what is right, and sometimes anything. */
const mostly = (...right: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: odd })

/** An object of which any field may be missing or wrong, and others be there. */
const loose = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(fc.record(fields, { requiredKeys: [] }), fc.dictionary(text, odd, { maxKeys: 1 }))
    .map(([known, more]) => ({ ...more, ...known }))

const args = loose({
  task: mostly('What is 6 times 7?', 'x'),
  mode: mostly('analyze', 'analyze', 'plan'),
  threadId: mostly('talk', 'thr_1'),
  model: mostly('scripted/scripted', 'nobody/knows'),
  topology: mostly('AUTO', 'SINGLE'),
  tokenBudget: mostly(9_000, 1),
  maxCostUsd: mostly(1),
  approval: mostly('wait', 'deny'),
  background: mostly(true, false),
  runId,
  waitMs: mostly(0, 1),
})
const meta = loose({
  [`${META}/protocolVersion`]: mostly(NOW, NOW, '2025-11-25', '1999-01-01'),
  [`${META}/clientCapabilities`]: mostly({}, { elicitation: {} }, { elicitation: { form: {} } }),
  [`${META}/clientInfo`]: mostly({ name: 'fuzz', version: '1' }),
  progressToken: mostly('token', 1),
  traceparent: odd,
})
const params = loose({
  name: mostly('run', 'run_status', 'run_cancel'),
  arguments: fc.oneof({ weight: 8, arbitrary: args }, { weight: 1, arbitrary: odd }),
  uri: mostly('svc://runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'file:///etc/passwd', 'svc://runs/../x'),
  cursor: odd,
  protocolVersion: mostly('2025-11-25', '2025-03-26', NOW),
  capabilities: mostly({}, { elicitation: {} }),
  clientInfo: mostly({ name: 'fuzz', version: '1' }),
  requestId: mostly(1),
  requestState: fc.oneof(runId, odd),
  inputResponses: odd,
  _meta: fc.oneof({ weight: 6, arbitrary: meta }, { weight: 1, arbitrary: odd }),
})
const message = loose({
  jsonrpc: mostly('2.0', '2.0', '2.0'),
  id: mostly(1, 'a'),
  method: mostly(...METHODS),
  params: fc.oneof({ weight: 8, arbitrary: params }, { weight: 1, arbitrary: odd }),
  result: fc.option(odd),
})
const body: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: message },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }) },
  { weight: 1, arbitrary: odd },
)

const headerText = fc.constantFrom('', 'a', '*/*', 'text/event-stream', 'application/json', ',,;', '=?base64?e30=?=', 'é')

const asked: Record<string, number> = {}

test(`${REQUESTS} mutated messages and headers: no error of the server's own, and every answer is JSON-RPC`, async () => {
  for (let sent = 0; sent < REQUESTS; sent += PER_SERVER) {
    await sendMutated(Math.min(PER_SERVER, REQUESTS - sent), SEED + sent / PER_SERVER)
    if (process.env.SVC_NIGHTLY !== '1') continue
    global.gc?.()
    console.log(`${sent + PER_SERVER} requests: ${JSON.stringify(asked)}, ${Math.round(process.memoryUsage().rss / 1e6)} MB`)
  }
})

async function sendMutated(numRuns: number, seed: number): Promise<void> {
  const world = await openServer({ config: { server: { limits: { queuedRuns: 100_000 } } } })
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'fuzz', version: '1' } },
  }
  const begun = await world.ask('POST', '/mcp', { body: initialize, headers: { accept: '*/*' } })
  const session = begun.headers.get('mcp-session-id') ?? ''
  const request = fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'POST', 'GET', 'PUT'),
    body,
    isTrue: fc.boolean(),
    headers: fc.record(
      {
        accept: fc.oneof(fc.constantFrom('application/json, text/event-stream', '*/*'), headerText),
        'mcp-session-id': fc.constantFrom(session, session, 'none', ''),
        'mcp-protocol-version': fc.constantFrom(NOW, '2025-11-25', 'x'),
        'mcp-method': headerText,
        'mcp-name': headerText,
        'last-event-id': headerText,
        'idempotency-key': headerText,
        traceparent: headerText,
      },
      { requiredKeys: [] },
    ),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, body, headers, isTrue }) => {
      const own = isTrue ? matching(body) : {}
      // A stream of a session has no end of its own.
      if (method === 'GET') delete headers['mcp-session-id']
      const answered = await world.ask(method, '/mcp', { ...(method !== 'GET' && { body: body ?? null }), headers: { ...headers, ...own } })
      asked[answered.status] = (asked[answered.status] ?? 0) + 1
      const seen = `${method} ${JSON.stringify(body)?.slice(0, 300)}: ${answered.status} ${answered.text.slice(0, 300)}`
      assert.ok(answered.status < 500, seen)
      if (answered.status >= 400 && answered.text !== '') assert.is(answered.json.jsonrpc, '2.0', seen)
    }),
    { numRuns, seed },
  )
  assert.is((await world.ask('GET', '/health')).status, 200)
  for (const { id, status } of (await world.runtime.runs.list({ limit: 100 })).data)
    if (!isTerminal(status)) await world.runtime.runs.cancel(id)
  await world.close()
  await sleep(0)
}

/** The headers that a message of the current revision has to have. */
function matching(body: unknown): Record<string, string> {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown; uri?: unknown } }
  const name = params?.name ?? params?.uri
  const plain = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': NOW,
    ...(plain(method) && { 'mcp-method': method }),
    ...(plain(name) && { 'mcp-name': name }),
  }
}

test.run()
