/** What goes over the wire, and how odd but legal answers are read. */
import type { Message, ModelProvider, ProviderConfig } from '@svc/core'
import { textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'
import { type Asked, ask, toRequest } from './fixtures/ask.ts'
import {
  chatEvents,
  type FakeServer,
  messagesEvents,
  sendEvents,
  sendJson,
  startFakeServer,
} from './fixtures/fake-server.ts'

const test = suite('requests of providers')

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
})
test.after(() => server.close())

const make = (type: 'openai' | 'openai-responses' | 'anthropic', more: Partial<ProviderConfig> = {}): ModelProvider =>
  createProvider('fake', { type, baseUrl: `${server.url}/v1`, defaultModel: 'm', ...more }, { env: {} })

const okBody = {
  choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }],
  usage: { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 },
}

async function bodyOf(provider: ModelProvider, request = toRequest()): Promise<Record<string, unknown>> {
  server.answer((response, seen) => {
    if (seen.body.stream !== true) sendJson(response, okBody)
    else if (seen.path.endsWith('/messages')) {
      sendEvents(
        response,
        messagesEvents(
          { type: 'message_start', message: {} },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        ),
      )
    } else sendEvents(response, chatEvents(okBody))
  })
  await ask(provider, request)
  return server.last().body
}

const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
const conversation: Message[] = [
  textMessage('system', 'be brief'),
  { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'I will' }],
    toolCalls: [
      { callId: 'c1', tool: 'mcp.files.read', args: { path: 'a' } },
      { callId: 'c2', tool: 'add', args: '{"broken":' },
    ],
  },
  { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: 'file a' }, image] },
  { role: 'tool', toolCallId: 'c2', content: [{ type: 'json', json: { error: 'bad arguments' } }] },
  textMessage('user', 'go on'),
]
const tools = [
  {
    id: 'mcp.files.read',
    description: 'reads',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { id: 'add', description: 'adds', parameters: { type: 'object' } },
]
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/** An answer as it stands in the conversation from then on. */
const turnOf = ({ text, toolCalls, finish }: Asked): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  toolCalls,
  state: structuredClone(finish.state),
})

test('openai: a conversation with tools and images becomes chat messages', async () => {
  const body = await bodyOf(make('openai'), toRequest({ messages: conversation, tools, toolChoice: { tool: 'add' } }))
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  assert.equal(body.messages, [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'look' }, picture] },
    {
      role: 'assistant',
      content: 'I will',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'mcp_files_read', arguments: '{"path":"a"}' } },
        { id: 'c2', type: 'function', function: { name: 'add', arguments: '{"broken":' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'file a\n[image, 3 bytes]' },
    { role: 'tool', tool_call_id: 'c2', content: '{"error":"bad arguments"}' },
    { role: 'user', content: [{ type: 'text', text: '[image, 3 bytes]' }, picture] },
    { role: 'user', content: 'go on' },
  ])
  assert.equal(body.tool_choice, { type: 'function', function: { name: 'add' } })
  assert.is((body.tools as unknown[]).length, 2)
})

test('anthropic: the same conversation becomes messages, results of one turn together', async () => {
  const body = await bodyOf(make('anthropic'), toRequest({ messages: conversation, tools, toolChoice: 'required' }))
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const cache_control = { type: 'ephemeral' }
  assert.equal(body.system, [{ type: 'text', text: 'be brief', cache_control }])
  assert.equal(body.messages, [
    { role: 'user', content: [{ type: 'text', text: 'look' }, picture] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will' },
        { type: 'tool_use', id: 'c1', name: 'mcp_files_read', input: { path: 'a' } },
        { type: 'tool_use', id: 'c2', name: 'add', input: { arguments: '{"broken":' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'file a' }, picture] },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: '{"error":"bad arguments"}' }] },
        { type: 'text', text: 'go on', cache_control },
      ],
    },
  ])
  assert.equal(body.tool_choice, { type: 'any' })
  assert.is(body.max_tokens, 32_000)
})

test('openai-responses: the same conversation becomes input items', async () => {
  const request = toRequest({
    messages: conversation,
    tools,
    toolChoice: { tool: 'add' },
    maxOutputTokens: 9,
    outputSchema: schema,
  })
  const body = await bodyOf(make('openai-responses'), request)
  const picture = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' }
  assert.equal(body.input, [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'input_text', text: 'look' }, picture] },
    { role: 'assistant', content: 'I will' },
    { type: 'function_call', call_id: 'c1', name: 'mcp_files_read', arguments: '{"path":"a"}' },
    { type: 'function_call', call_id: 'c2', name: 'add', arguments: '{"broken":' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'file a' }, picture] },
    { type: 'function_call_output', call_id: 'c2', output: '{"error":"bad arguments"}' },
    { role: 'user', content: 'go on' },
  ])
  assert.equal(body.tool_choice, { type: 'function', name: 'add' })
  assert.equal([body.max_output_tokens, body.store], [9, false])
  assert.equal(body.text, { format: { type: 'json_schema', name: 'answer', schema, strict: true } })
})

test('openai-responses: reasoning comes back unchanged, streamed or not', async () => {
  const output = [
    { type: 'reasoning', id: 'r1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'opaque' },
    {
      type: 'message',
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I add', annotations: [] }],
    },
    { type: 'function_call', id: 'f1', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
  ]
  const usage = {
    input_tokens: 8,
    output_tokens: 9,
    input_tokens_details: { cached_tokens: 3 },
    output_tokens_details: { reasoning_tokens: 4 },
  }
  const events = messagesEvents(
    { type: 'response.created', response: { status: 'in_progress' } },
    { type: 'response.reasoning_summary_text.delta', delta: 'hm', summary_index: 0 },
    { type: 'response.output_item.done', item: output[0] },
    { type: 'response.output_text.delta', delta: 'I ' },
    { type: 'response.output_text.delta', delta: 'add' },
    { type: 'response.output_item.done', item: output[1] },
    { type: 'response.function_call_arguments.delta', delta: '{"a":1}' },
    { type: 'response.output_item.done', item: output[2] },
    { type: 'response.completed', response: { status: 'completed', output, usage } },
  )
  const provider = make('openai-responses')
  for (const stream of [false, true]) {
    server.answer((response) =>
      stream ? sendEvents(response, events) : sendJson(response, { status: 'completed', output, usage }),
    )
    const asked = await ask(provider, toRequest({ tools, stream }))
    const { text, reasoning, toolCalls, finish } = asked
    assert.equal([text, reasoning, toolCalls], ['I add', 'hm', [{ callId: 'c1', tool: 'add', args: { a: 1 } }]])
    assert.is(finish.finishReason, 'toolCalls')
    assert.equal(finish.usage, {
      inputTokens: 8,
      outputTokens: 9,
      cachedTokens: 3,
      reasoningTokens: 4,
      estimated: false,
    })
    const turn = turnOf(asked)
    const body = await bodyOf(provider, toRequest({ messages: [textMessage('user', 'x'), turn], tools }))
    assert.equal((body.input as unknown[]).slice(1), output)
  }
})

test('parameters are sent under the names that each wire has for them', async () => {
  const request = toRequest({ maxOutputTokens: 50, temperature: 0.5, stop: ['END'], seed: 7, stream: true })
  const chat = await bodyOf(make('openai'), request)
  assert.equal(
    [chat.max_tokens, chat.temperature, chat.stop, chat.seed, chat.stream, chat.stream_options],
    [50, 0.5, ['END'], 7, true, { include_usage: true }],
  )
  const messages = await bodyOf(make('anthropic'), request)
  assert.equal(
    [messages.max_tokens, messages.temperature, messages.stop_sequences, messages.seed, messages.stream],
    [50, 0.5, ['END'], undefined, true],
  )
})

test('models that refuse a temperature are sent none', async () => {
  const request = toRequest({ temperature: 0 })
  for (const [model, sent] of [
    ['claude-opus-5-5', false],
    ['claude-opus-4-7', false],
    ['claude-opus-4-6', true],
    ['claude-sonnet-4-20250514', true],
    ['claude-3-haiku-20240307', true],
    ['some-other-model', true],
  ] as const) {
    const body = await bodyOf(make('anthropic'), { ...request, model })
    assert.is('temperature' in body, sent, model)
  }
})

test('an effort goes where each format has it, and not to models that refuse one', async () => {
  const request = toRequest({ effort: 'low' })
  const chat = await bodyOf(make('openai'), request)
  const responses = await bodyOf(make('openai-responses'), request)
  assert.equal([chat.reasoning_effort, responses.reasoning], ['low', { effort: 'low' }])
  for (const [model, sent] of [
    ['claude-opus-5-5', true],
    ['claude-sonnet-4-6', true],
    ['claude-opus-4-5', true],
    ['claude-sonnet-4-5', false],
    ['claude-opus-4-20250514', false],
    ['claude-3-haiku-20240307', false],
  ] as const) {
    const { output_config } = await bodyOf(make('anthropic'), { ...request, model })
    assert.equal(output_config, sent ? { effort: 'low' } : undefined, model)
  }
})

test('an output schema goes in the way that the model takes', async () => {
  const request = toRequest({ outputSchema: schema })
  const bodies = {
    schema: await bodyOf(make('openai', { models: { m: { json: 'schema' } } }), request),
    loose: await bodyOf(
      make('openai', { models: { m: { json: 'schema' } } }),
      toRequest({ outputSchema: { type: 'object' } }),
    ),
    object: await bodyOf(make('openai'), request),
    none: await bodyOf(make('openai', { models: { m: { json: 'none' } } }), request),
    format: await bodyOf(make('anthropic'), request),
    words: await bodyOf(make('anthropic', { models: { m: { json: 'none' } } }), request),
    open: await bodyOf(make('anthropic'), toRequest({ outputSchema: { description: 'anything' } })),
  }
  assert.equal(bodies.schema.response_format, {
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: true },
  })
  assert.is((bodies.loose.response_format as { json_schema: { strict: boolean } }).json_schema.strict, false)
  assert.equal(bodies.object.response_format, { type: 'json_object' })
  assert.match(JSON.stringify(bodies.object.messages), 'JSON Schema')
  assert.is(bodies.none.response_format, undefined)
  assert.match(JSON.stringify(bodies.none.messages), 'JSON Schema')
  assert.equal((bodies.format.output_config as { format: { type: string } }).format.type, 'json_schema')
  assert.is(bodies.format.system, undefined)
  for (const body of [bodies.words, bodies.open]) {
    assert.is(body.output_config, undefined)
    assert.match(JSON.stringify(body.system), 'JSON Schema')
  }
})

test('quirks bend the request', async () => {
  const quirks = {
    maxTokensField: 'max_completion_tokens',
    systemRole: 'developer',
    noStreamUsage: true,
    noParallelTools: true,
    noToolChoice: true,
    mergeSystem: true,
    stripParams: ['seed'],
    extraBody: { top_k: 3 },
  } as const
  const messages = [textMessage('system', 'a'), textMessage('user', 'x'), textMessage('system', 'b')]
  const request = toRequest({ messages, tools, toolChoice: 'required', maxOutputTokens: 5, seed: 1, stream: true })
  const body = await bodyOf(make('openai', { quirks: { ...quirks, stripParams: ['seed'] } }), request)
  assert.equal(body.messages, [
    { role: 'developer', content: 'a\n\nb' },
    { role: 'user', content: 'x' },
  ])
  assert.equal(
    [
      body.max_completion_tokens,
      body.max_tokens,
      body.stream_options,
      body.parallel_tool_calls,
      body.tool_choice,
      body.seed,
      body.top_k,
    ],
    [5, undefined, undefined, false, undefined, undefined, 3],
  )
  const other = await bodyOf(make('anthropic', { quirks: { noParallelTools: true } }), toRequest({ tools }))
  assert.equal(other.tool_choice, { type: 'auto', disable_parallel_tool_use: true })
})

test('model names: default, key, alias', async () => {
  const models = { fast: { id: 'vendor/fast-1', alias: ['quick'] } }
  for (const type of ['openai', 'anthropic'] as const) {
    const provider = make(type, { models, defaultModel: 'fast' })
    for (const [asked, sent] of [
      ['', 'vendor/fast-1'],
      ['quick', 'vendor/fast-1'],
      ['fast', 'vendor/fast-1'],
      ['new', 'new'],
    ]) {
      assert.is((await bodyOf(provider, toRequest({ model: asked as string }))).model, sent)
    }
    assert.equal(await provider.models(), [{ id: 'vendor/fast-1', alias: ['fast', 'quick'] }])
  }
})

test('discover lists what the server has', async () => {
  for (const type of ['openai', 'anthropic'] as const) {
    server.answer((response) => sendJson(response, { data: [{ id: 'a' }, { id: 'b' }], has_more: false }))
    const provider = createProvider('fake', { type, baseUrl: server.url, discover: true }, { env: {} })
    assert.equal(await provider.models(), [{ id: 'a' }, { id: 'b' }])
  }
})

test('openai: what a server sends along with a tool call comes back to it, and to no other', async () => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'add', arguments: '{}' },
    extra_content: { signature: 's' },
  }
  server.answer((response) =>
    sendJson(response, {
      choices: [
        { message: { content: null, reasoning_content: 'hm', tool_calls: [call] }, finish_reason: 'tool_calls' },
      ],
    }),
  )
  const { toolCalls, finish, reasoning } = await ask(make('openai'), toRequest({ tools }))
  assert.is(reasoning, 'hm')
  const turn: Message = { role: 'assistant', content: [], toolCalls, state: structuredClone(finish.state) }
  const messages = [textMessage('user', 'x'), turn, { role: 'tool' as const, toolCallId: 'c1', content: [] }]
  const body = await bodyOf(make('openai'), toRequest({ messages, tools }))
  assert.equal((body.messages as unknown[])[1], {
    role: 'assistant',
    content: null,
    reasoning_content: 'hm',
    tool_calls: [call],
  })
  const { state: _state, ...bare } = turn
  const stateOfRequest = await bodyOf(
    make('openai'),
    toRequest({ messages: [messages[0] as Message, bare], state: finish.state }),
  )
  assert.equal((stateOfRequest.messages as unknown[])[1], (body.messages as unknown[])[1])
  const other = createProvider('other', { type: 'openai', baseUrl: server.url, defaultModel: 'm' }, { env: {} })
  const foreign = (await bodyOf(other, toRequest({ messages, tools }))).messages as Record<string, unknown>[]
  assert.is(foreign[1]?.reasoning_content, undefined)
})

/** Blocks with the mark of a cache on the last. */
const markLast = (blocks: readonly object[]): object[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block))

test('anthropic: thinking comes back unchanged, streamed or not', async () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'text', text: 'I add' },
    { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } },
  ]
  const events = messagesEvents(
    { type: 'message_start', message: { usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 } } },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'opaque' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'I add' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 't1', name: 'add', input: {} } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '1}' } },
    { type: 'content_block_stop', index: 3 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
    },
    { type: 'message_stop' },
  )
  const usage = {
    input_tokens: 5,
    cache_read_input_tokens: 3,
    output_tokens: 9,
    output_tokens_details: { thinking_tokens: 4 },
  }
  const provider = make('anthropic')
  for (const stream of [false, true]) {
    server.answer((response) =>
      stream ? sendEvents(response, events) : sendJson(response, { content, stop_reason: 'tool_use', usage }),
    )
    const asked = await ask(provider, toRequest({ tools, stream }))
    const { text, reasoning, toolCalls, finish } = asked
    assert.equal([text, reasoning, toolCalls], ['I add', 'hm', [{ callId: 't1', tool: 'add', args: { a: 1 } }]])
    assert.equal(finish.usage, {
      inputTokens: 8,
      outputTokens: 9,
      cachedTokens: 3,
      reasoningTokens: 4,
      estimated: false,
    })
    const turn = turnOf(asked)
    const body = await bodyOf(
      provider,
      toRequest({ messages: [textMessage('user', 'x'), turn, textMessage('user', 'y')], tools }),
    )
    assert.equal((body.messages as unknown[])[1], { role: 'assistant', content: markLast(content) })
    const edited: Message = { ...turn, toolCalls: [] }
    const shorter = await bodyOf(
      provider,
      toRequest({ messages: [textMessage('user', 'x'), edited, textMessage('user', 'y')] }),
    )
    assert.equal((shorter.messages as unknown[])[1], { role: 'assistant', content: markLast(content.slice(0, 3)) })
  }
})

const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] })
const calls = (...list: object[]) => delta({ tool_calls: list })

test('openai: interleaved, repeated, nameless and idless pieces of calls add up', async () => {
  server.answer((response) =>
    sendEvents(
      response,
      chatEvents(
        delta({ content: 'é' }),
        calls(
          { index: 0, id: 'x', function: { name: 'add', arguments: '{"a"' } },
          { index: 1, id: 'x', function: { name: 'add', arguments: '' } },
        ),
        calls({ index: 1, function: { arguments: '{"b":2}' } }, { index: 0, function: { arguments: ':1}' } }),
        calls({ index: 2, id: '', function: { name: 'add', arguments: 'not json' } }),
        calls({ index: 2, id: 'y', function: { name: 'mcp_files_read', arguments: { path: 'p' } } }),
        delta({}, { finish_reason: 'stop' }),
        { choices: [], usage: { prompt_tokens: 4, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 2 } } },
      ),
    ),
  )
  const { text, toolCalls, finish } = await ask(make('openai'), toRequest({ tools, stream: true }))
  assert.is(text, 'é')
  assert.equal(
    toolCalls.map(({ tool, args }) => [tool, args]),
    [
      ['add', { a: 1 }],
      ['add', { b: 2 }],
      ['add', 'not json'],
      ['mcp.files.read', { path: 'p' }],
    ],
  )
  const ids = toolCalls.map((call) => call.callId)
  assert.is(new Set(ids).size, 4)
  assert.ok(ids.every((id) => id !== ''))
  assert.is(finish.finishReason, 'toolCalls')
  assert.equal(finish.usage, { inputTokens: 4, outputTokens: 5, cachedTokens: 2, estimated: false })
  const again = await ask(make('openai'), toRequest({ tools, stream: true }))
  assert.equal(again.toolCalls, toolCalls, 'ids are the same for the same request')
})

test('openai: reasoning in a field, in pieces of content, or between tags', async () => {
  const answers: [object[], Partial<ProviderConfig>][] = [
    [[delta({ reasoning_content: 'why' }), delta({ content: 'so' })], {}],
    [[delta({ reasoning: 'why' }), delta({ content: 'so' })], {}],
    [
      [
        delta({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'why' }] },
            { type: 'text', text: 'so' },
          ],
        }),
      ],
      {},
    ],
    [['<th', 'ink>w', 'hy</', 'think>\n\nso'].map((content) => delta({ content })), { quirks: { thinkTags: true } }],
  ]
  for (const [chunks, config] of answers) {
    server.answer((response) => sendEvents(response, chatEvents(...chunks, delta({}, { finish_reason: 'stop' }))))
    const { text, reasoning } = await ask(make('openai', config), toRequest({ stream: true }))
    assert.equal([text, reasoning], ['so', 'why'])
  }
})

test('openai: reasoning that only the total counts is added to the output', async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 2,
    total_tokens: 42,
    completion_tokens_details: { reasoning_tokens: 30 },
  }
  server.answer((response) => sendJson(response, { ...okBody, usage }))
  const { finish } = await ask(make('openai'), toRequest())
  assert.equal(finish.usage, { inputTokens: 10, outputTokens: 32, reasoningTokens: 30, estimated: false })
})

test('a refusal is the finish reason contentFilter', async () => {
  server.answer((response) =>
    sendJson(response, {
      choices: [{ message: { content: null, refusal: 'I cannot' }, finish_reason: 'stop' }],
      content: [],
      stop_reason: 'refusal',
    }),
  )
  assert.is((await ask(make('openai'), toRequest())).finish.finishReason, 'contentFilter')
  assert.is((await ask(make('anthropic'), toRequest())).finish.finishReason, 'contentFilter')
})

test('anthropic: a second start in one stream makes the first void', async () => {
  const call = (id: string, json: string, end: boolean) => [
    { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id, name: 'add', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
    ...(end ? [{ type: 'content_block_stop', index: 0 }] : []),
  ]
  const events = [...call('first', '{"a":1', false), ...call('second', '{"a":2}', true)]
  server.answer((response) =>
    sendEvents(response, messagesEvents(...events, { type: 'message_delta', delta: { stop_reason: 'tool_use' } })),
  )
  const { toolCalls } = await ask(make('anthropic'), toRequest({ tools, stream: true }))
  assert.equal(toolCalls, [{ callId: 'second', tool: 'add', args: { a: 2 } }])
})

test.run()
