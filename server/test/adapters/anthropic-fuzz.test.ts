/** Requests that no client would send: each is answered in Anthropic's shape, and nothing breaks. */
import { join } from 'node:path'
import type { Script } from '@svc/core/testing'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { createTally, FUZZ, mutated } from './mutated-requests.ts'

const test = serverSuite('mutated requests of Anthropic')

const tally = createTally()
const SEED = fc.readConfigureGlobal()?.seed ?? 0

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const weather = { name: 'get_weather', description: 'd', input_schema: { type: 'object', properties: {} } }
const asked = { model: 'svc', max_tokens: 100, messages: [{ role: 'user', content: 'What is 6 times 7?' }] }

/** Good requests, to be changed. */
const GOOD: readonly object[] = [
  asked,
  { ...asked, stream: true, stop_sequences: ['is'], metadata: { user_id: 'u' }, temperature: 0.5 },
  {
    ...asked,
    system: [{ type: 'text', text: 'Be terse.', cache_control: { type: 'ephemeral' } }],
    tools: [weather, { ...weather, name: 'other', type: 'custom' }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'page' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: [{ type: 'text', text: 'no' }] },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ],
  },
  { ...asked, tools: [weather], tool_choice: { type: 'tool', name: 'get_weather' } },
  { ...asked, output_config: { effort: 'max', format: { type: 'json_schema', schema: { type: 'string' } } } },
  { ...asked, thread: { type: 'create' }, stream: true },
  { ...asked, thread: { type: 'continue', previous_message_id: 'msg_01M8KVK47RAXDFJYTG2PQSYH5Z' } },
]

/** Calls a tool of the client where there is one, and has not been called. */
const script: Script = ({ tools = [], messages, outputSchema }) => {
  if (outputSchema !== undefined) return '{"a":1}'
  const own = tools.find(({ id }) => id.startsWith('client.'))
  const isCalled = messages.some(({ role }) => role === 'tool')
  return own === undefined || isCalled ? 'The answer is 42.' : { text: 'Hm.', toolCalls: [{ tool: own.id, args: {} }] }
}

/** Asks, and checks that the answer is one of Anthropic's. @returns its text */
async function ask(world: OpenServer, path: string, body: unknown): Promise<string> {
  const { status, text, json } = await world.ask('POST', path, { body })
  tally.count(status)
  const seen = `${path} ${JSON.stringify(body)?.slice(0, 1000)}: ${status} ${text.slice(0, 500)}`
  // An answer that is not of its schema is the fault of the model.
  assert.ok(status < 500 || (status === 502 && text.includes('outputSchema')), seen)
  assert.not.match(text, /\bat .*\.(ts|js):\d+|node_modules|internal_error/, seen)
  if (status !== 200) {
    const { type, error, request_id } = json as { type?: string; error?: { type?: string }; request_id?: string }
    assert.is(type, 'error', seen)
    assert.match(error?.type ?? '', /_error$|^request_too_large$/, seen)
    assert.match(request_id ?? '', /^req_/, seen)
  } else if (text.startsWith('event: ')) assertStream(text, seen)
  return text
}

/** The results of the calls that an answer ends with, and nothing else, as a thread goes on. */
function resultsFor(text: string): object | undefined {
  const ids = [...new Set([...text.matchAll(/"id":"(call_\w+)"/g)].map(([, id]) => id))]
  if (ids.length === 0) return undefined
  const [id = ''] = /msg_\w+/.exec(text) ?? []
  const content = ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'rain' }))
  const thread = { type: 'continue', previous_message_id: id }
  return { ...asked, messages: [{ role: 'user', content }], thread }
}

/** Whether events are those of one message, each block whole. */
function assertStream(text: string, seen: string): void {
  const types = [...text.matchAll(/^event: (\w+)$/gm)].map(([, type = '']) => type.replace(/^content_block_/, ''))
  const order = types.filter((type) => type !== 'ping').join(' ')
  assert.match(
    order,
    /^message_start( start( delta)+ stop)*( message_delta message_stop|( start( delta)+)? error)$/,
    seen,
  )
}

test(`${FUZZ.requests} mutated requests: none is an error of the server, and each stream is whole`, async () => {
  const url = `sqlite:${join(makeFolder(), 'svc.db')}`
  const world = await openServer({ script, config: { store: { url }, server: { limits: { queuedRuns: 100_000 } } } })
  const path = fc.constantFrom('/v1/messages', '/v1/messages?beta=true', '/v1/messages/count_tokens')
  for (let sent = 0; sent < FUZZ.requests; sent += FUZZ.perServer) {
    await fc.assert(
      fc.asyncProperty(path, mutated(GOOD), async (path, body) => {
        for (let next: unknown = body; next !== undefined; ) next = resultsFor(await ask(world, path, next))
      }),
      { numRuns: Math.min(FUZZ.perServer, FUZZ.requests - sent), seed: SEED + sent },
    )
    tally.report('messages of Anthropic')
  }
  assert.is((await world.ask('GET', '/health')).status, 200)
})

test.run()
