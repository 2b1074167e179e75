/** Messages that no client would send: each is answered or refused, and nothing breaks. */
import { isTerminal } from '@svc/core'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('mutated messages to the MCP server')

const isNightly = process.env.SVC_NIGHTLY === '1'
const REQUESTS = isNightly ? 100_000 : 300
/** A server keeps its runs in memory here: so many requests, then another one. */
const PER_SERVER = 5_000
const SEED = fc.readConfigureGlobal()?.seed ?? 0

const NOW = '2026-07-28'
const RUN = 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const META = {
  'io.modelcontextprotocol/protocolVersion': NOW,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  progressToken: 'token',
}
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'fuzz', version: '1' },
}
/** What clients ask, with the name that its header says. */
const GOOD: readonly [method: string, params: Record<string, unknown>, name?: string][] = [
  ['initialize', initialize],
  ['ping', {}],
  ['server/discover', {}],
  ['tools/list', {}],
  ['tools/call', { name: 'run', arguments: { task: 'Add 2 and 3', mode: 'analyze', threadId: 'talk' } }, 'run'],
  ['tools/call', { name: 'run', arguments: { task: 'Add 2 and 3', tokenBudget: 9_000, approval: 'deny' } }, 'run'],
  [
    'tools/call',
    { name: 'run', arguments: { task: 'x', background: true, maxCostUsd: 1, model: 'scripted/scripted' } },
    'run',
  ],
  [
    'tools/call',
    { name: 'run', arguments: { task: 'x' }, requestState: RUN, inputResponses: { a: { action: 'accept' } } },
    'run',
  ],
  ['tools/call', { name: 'run_status', arguments: { runId: RUN, waitMs: 1 } }, 'run_status'],
  ['tools/call', { name: 'run_cancel', arguments: { runId: RUN } }, 'run_cancel'],
  ['resources/list', { cursor: 'x' }],
  ['resources/templates/list', {}],
  ['resources/read', { uri: `svc://runs/${RUN}` }, `svc://runs/${RUN}`],
  ['prompts/list', {}],
  ['prompts/get', { name: 'x' }, 'x'],
  ['notifications/cancelled', { requestId: 1 }],
  ['notifications/initialized', {}],
]

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\u0000', '-1', '__proto__', 'constructor'),
)
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(RUN, NOW, '2025-03-26', 1e308, -1),
)
/** What is done to a message: a field is taken away, set to something else, or put beside another. */
const change = fc.record({
  at: fc.nat(99),
  how: fc.constantFrom('remove', 'set', 'set', 'add'),
  name: text,
  value: odd,
})

type Change = { at: number; how: string; name: string; value: unknown }
type Place = readonly [owner: Record<string, unknown>, name: string]

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((name): Place[] => [[owner, name], ...placesOf(owner[name])])
}

function mutate(message: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(message)
  for (const { at, how, name, value } of changes) {
    const places = placesOf(copy)
    const [owner, key] = places[at % Math.max(1, places.length)] ?? []
    if (owner === undefined || key === undefined) return value
    if (how === 'remove') delete owner[key]
    else
      Object.defineProperty(owner, how === 'set' ? key : name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return copy
}

const headerText = fc.constantFrom(
  '',
  'a',
  '*/*',
  'text/event-stream',
  'application/json',
  ',,;',
  '=?base64?e30=?=',
  'é',
  NOW,
)
const HEADERS = [
  'accept',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
  'idempotency-key',
  'traceparent',
]

const request = fc.record({
  method: fc.oneof(
    { weight: 40, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT') },
  ),
  good: fc.constantFrom(...GOOD),
  id: fc.constantFrom(1, 'a'),
  isModern: fc.boolean(),
  hasSession: fc.boolean(),
  isBatch: fc.nat(19).map((number) => number === 0),
  changes: fc.array(change, { maxLength: 3 }),
  headers: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...HEADERS), headerText, { maxKeys: 2 }) },
  ),
})

const counts: Record<string, number> = {}

test(`${REQUESTS} mutated messages and headers: no error of the server's own, and what is refused is JSON-RPC`, async () => {
  for (let sent = 0; sent < REQUESTS; sent += PER_SERVER) {
    await sendMutated(Math.min(PER_SERVER, REQUESTS - sent), SEED + sent / PER_SERVER)
    if (!isNightly) continue
    global.gc?.()
    const { rss, heapUsed } = process.memoryUsage()
    console.log(
      `${sent + PER_SERVER}: ${JSON.stringify(counts)}, ${Math.round(rss / 1e6)} MB, heap ${Math.round(heapUsed / 1e6)} MB`,
    )
  }
})

async function sendMutated(numRuns: number, seed: number): Promise<void> {
  const world = await openServer({ config: { server: { limits: { queuedRuns: 100_000 } } } })
  const session = await beginSession(world)
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ method, good: [name, params, called], id, isModern, hasSession, isBatch, changes, headers }) => {
        const isNote = name.startsWith('notifications/')
        const given = isModern ? { ...params, _meta: META } : params
        const right = { jsonrpc: '2.0', ...(!isNote && { id }), method: name, params: given }
        const body = mutate(isBatch ? [right, { ...right, id: 'b' }] : right, changes)
        const own = isModern
          ? { 'mcp-protocol-version': NOW, 'mcp-method': name, ...(called !== undefined && { 'mcp-name': called }) }
          : hasSession && method !== 'GET' // that stream has no end of its own
            ? { 'mcp-session-id': session }
            : {}
        const answered = await world.ask(method, '/mcp', {
          ...(method !== 'GET' && { body: body ?? null }),
          headers: { accept: 'application/json, text/event-stream', ...own, ...headers },
        })
        const [first = ''] = /"(isError":true|error":\{"code":-?\d+|result)/.exec(answered.text) ?? []
        const kind = `${answered.status} ${first.replace(/[^\w-]+/g, ' ').trim()}`
        counts[kind] = (counts[kind] ?? 0) + 1
        const seen = `${method} ${JSON.stringify(body)?.slice(0, 300)}: ${answered.status} ${answered.text.slice(0, 300)}`
        assert.ok(answered.status < 500, seen)
        assert.not.match(answered.text, /"code":-32603|went wrong inside|\bat .*\.(ts|mjs|js):\d/, seen)
        if (answered.status >= 400 && answered.text !== '') assert.is(answered.json.jsonrpc, '2.0', seen)
      },
    ),
    { numRuns, seed },
  )
  assert.is((await world.ask('GET', '/health')).status, 200)
  for (const { id, status } of (await world.runtime.runs.list({ limit: 100 })).data)
    if (!isTerminal(status)) await world.runtime.runs.cancel(id)
  await world.close()
}

async function beginSession(world: OpenServer): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }
  return (await world.ask('POST', '/mcp', { body, headers: { accept: '*/*' } })).headers.get('mcp-session-id') ?? ''
}

test.run()
