/** Requests of clients of OpenAI that nobody would send: each is answered in OpenAI's shape, and nothing breaks. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { serverSuite } from '../fixtures/open-server.ts'
import { city, type OpenAiWorld, openForOpenAi, weatherScript } from '../fixtures/openai-client.ts'

const test = serverSuite('mutated requests of clients of OpenAI')

const isNightly = process.env.SVC_NIGHTLY === '1'
const REQUESTS = isNightly ? 100_000 : 300
/** After so many, what waits is ended. */
const BATCH = 5_000
const SEED = fc.readConfigureGlobal()?.seed ?? 0
/** What a run itself may fail with, whatever was sent. */
const OF_RUNS = ['output_schema_mismatch']

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const weather = { name: 'get_weather', description: 'weather', parameters: city }
const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bonn"}' } }

/** Good requests, and ids of what is there. */
async function goodRequests({ client }: OpenAiWorld): Promise<{ path: string; body?: object }[]> {
  const stored = await client.responses.create({ model: 'svc', input: 'What is 6 times 7?' })
  const waiting = await client.responses.create({
    model: 'svc',
    input: 'How is the weather?',
    tools: [{ type: 'function', ...weather, strict: false }],
  })
  const called = waiting.output.find((item) => item.type === 'function_call')
  const callId = called !== undefined && 'call_id' in called ? called.call_id : 'call_2'
  const chat = (body: object) => ({ path: '/v1/chat/completions', body: { model: 'svc', ...body } })
  const response = (body: object) => ({ path: '/v1/responses', body: { model: 'svc', ...body } })
  const user = { role: 'user', content: 'What is 6 times 7?' }
  const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  return [
    chat({ messages: [{ role: 'system', content: 'Be short.' }, user, { role: 'assistant', content: 'No.' }, user] }),
    chat({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'How is the weather?' }, image] }],
      stream: true,
    }),
    chat({
      messages: [{ role: 'user', content: 'How is the weather?' }],
      tools: [{ type: 'function', function: weather }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      stop: ['a', 'b'],
    }),
    chat({
      messages: [user, { role: 'assistant', content: null, tool_calls: [call, { ...call, id: callId }] }].concat(
        ['call_1', callId].map((id) => ({ role: 'tool', tool_call_id: id, content: 'sunny' })) as never,
      ),
      stream: true,
      stream_options: { include_usage: true },
    }),
    chat({
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { name: 'sum', schema } },
      temperature: 1,
      max_completion_tokens: 100,
      metadata: { a: 'b' },
      reasoning_effort: 'low',
    }),
    response({ input: 'What is 6 times 7?', previous_response_id: stored.id, instructions: 'Be short.' }),
    response({
      input: [{ ...user }, { type: 'item_reference', id: stored.output[0]?.id }, { ...user, type: 'message' }],
      tools: [
        { type: 'function', ...weather },
        { type: 'mcp', server_label: 'svc', require_approval: 'always' },
      ],
      stream: true,
    }),
    response({
      input: [
        { type: 'function_call', call_id: callId, name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: callId, output: [{ type: 'input_text', text: 'sunny' }] },
        { type: 'mcp_approval_response', approval_request_id: 'apr_1', approve: true, reason: 'so' },
      ],
      previous_response_id: waiting.id,
      text: { format: { type: 'json_schema', name: 'sum', schema } },
      reasoning: { effort: 'high' },
      background: true,
    }),
    { path: `/v1/responses/${stored.id}` },
    { path: `/v1/responses/${waiting.id}` },
    { path: `/v1/responses/${stored.id}/cancel`, body: {} },
    { path: '/v1/models/scripted%2Fscripted' },
  ]
}

const odd = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    null,
    '',
    -1,
    1e300,
    [],
    {},
    [[]],
    'svc',
    'data:image/png;base64,',
    'https://a.example/b',
    'rs_1',
    true,
  ),
)

/** One place of a body, by a number that leads there. */
function change(value: unknown, lead: number, put: (old: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return put(value)
  const names = Object.keys(value)
  const at = lead % (names.length + 1)
  const name = names[at]
  if (name === undefined) return put(value)
  const rest = Math.floor(lead / (names.length + 1))
  const inner = change((value as Record<string, unknown>)[name], rest, put)
  if (Array.isArray(value))
    return value.flatMap((item, index) => (index !== at ? [item] : inner === undefined ? [] : [inner]))
  return { ...value, [name]: inner }
}

const changes = fc.array(fc.record({ lead: fc.nat(1_000_000), put: fc.option(odd, { nil: undefined }) }), {
  maxLength: 3,
})

async function sendMutated(
  world: OpenAiWorld,
  numRuns: number,
  seed: number,
  counts: Map<string, number>,
): Promise<void> {
  const good = await goodRequests(world)
  const request = fc.record({
    which: fc.nat(good.length - 1),
    changes,
    path: fc.oneof({ weight: 20, arbitrary: fc.constant(null) }, fc.string()),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ which, changes, path }) => {
      const base = good[which] ?? { path: '/' }
      const body = changes.reduce<unknown>((whole, { lead, put }) => change(whole, lead, () => put), base.body)
      const to = path === null ? base.path : `/v1/responses/${encodeURIComponent(path) || 'x'}`
      const sent = base.body === undefined ? undefined : JSON.stringify(body ?? null)
      const { status, text, json } = await world.ask(base.body === undefined || path !== null ? 'GET' : 'POST', to, {
        ...(path === null && sent !== undefined && { body: sent }),
      })
      const seen = `${to} ${sent?.slice(0, 1_000)}: ${status} ${text.slice(0, 300)}`
      counts.set(String(status), (counts.get(String(status)) ?? 0) + 1)
      if (status < 400) return
      const { error } = json as { error?: { code: string; message: string; type: string } }
      assert.ok(error !== undefined && typeof error.message === 'string' && typeof error.type === 'string', seen)
      assert.ok(status < 500 || (status === 502 && OF_RUNS.includes(error.code)), seen)
    }),
    { numRuns, seed },
  )
  assert.is((await world.ask('GET', '/health')).status, 200)
  const { runs } = world.runtime
  for (const status of ['queued', 'running', 'waiting'] as const)
    for (
      let left = await runs.list({ status, limit: 100 });
      left.data.length > 0;
      left = await runs.list({ status, limit: 100 })
    )
      for (const { id } of left.data) {
        await runs.cancel(id)
        await runs.wait(id)
      }
}

test(`${REQUESTS} mutated requests`, async () => {
  const world = await openForOpenAi({
    script: (request, index) =>
      request.outputSchema === undefined ? weatherScript(request, index) : '{"sum":42,"city":"Bonn"}',
    config: { store: { url: `sqlite:${makeFolder()}/svc.db` }, server: { limits: { queuedRuns: 100_000 } } },
  })
  const counts = new Map<string, number>()
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    await sendMutated(world, Math.min(BATCH, REQUESTS - sent), SEED + sent / BATCH, counts)
    if (!isNightly) continue
    globalThis.gc?.()
    const { rss, heapUsed } = process.memoryUsage()
    const [whole, heap] = [rss, heapUsed].map((bytes) => Math.round(bytes / 1e6))
    console.log(`${sent + BATCH}: ${JSON.stringify([...counts])}, ${whole} MB, heap ${heap} MB`)
  }
})

test.run()
