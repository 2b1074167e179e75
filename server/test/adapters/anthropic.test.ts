/** The Messages API, through the official client. */
import { connect } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import { ProviderError, toText } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { createDrafts } from '../fixtures/drafts.ts'
import { endless } from '../fixtures/endless.ts'
import { posting, postingScript } from '../fixtures/good-requests.ts'
import { askWith, type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { pausing, until } from '../fixtures/until.ts'

const test = serverSuite('messages of Anthropic')

const clientOf = (world: OpenServer, apiKey = world.server.localKey): Anthropic =>
  new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 })

async function open(script?: Script, options: OpenOptions = {}): Promise<{ world: OpenServer; client: Anthropic }> {
  const world = await openServer({ ...(script && { script }), ...options })
  return { world, client: clientOf(world) }
}

const QUESTION = {
  model: 'svc',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'What is 6 times 7?' }],
}

/** What a client that knows svc reads beside the message. */
const svcOf = (message: object): { run_id: string; status: string; verdict?: string; reason?: string } =>
  (message as { svc: { run_id: string; status: string } }).svc

const textsOf = ({ content }: { content: readonly { type: string; text?: string }[] }): string[] =>
  content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))

test('a question is answered with a message, its usage, and the run behind it', async () => {
  const { world, client } = await open(() => ({
    text: 'The answer is 42.',
    usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 60, cacheWriteTokens: 10, estimated: false },
  }))
  const message = await client.messages.create(QUESTION)
  assert.equal(textsOf(message), ['The answer is 42.'])
  assert.is(message.stop_reason, 'end_turn')
  assert.is(message.role, 'assistant')
  assert.is(message.model, 'svc')
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage
  assert.equal([input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens], [30, 7, 60, 10])
  assert.match(message._request_id ?? '', /^req_/)
  const { run_id, status } = svcOf(message)
  assert.is(status, 'completed')
  const run = await world.runtime.runs.get(run_id)
  assert.is(run.task, 'What is 6 times 7?')
  assert.is(message.id, `msg_${run_id.slice(4)}`)
})

test('an answer streams as it is said, in the order of events that clients expect', async () => {
  const { client } = await open(() => 'The answer is 42.')
  const stream = client.messages.stream(QUESTION)
  const seen: string[] = []
  const pieces: string[] = []
  stream.on('streamEvent', ({ type }) => seen.push(type))
  stream.on('text', (piece) => pieces.push(piece))
  const message = await stream.finalMessage()
  assert.equal(pieces, ['The', ' answer', ' is', ' 42.'])
  assert.equal(textsOf(message), ['The answer is 42.'])
  assert.equal(seen, [
    'message_start',
    'content_block_start',
    ...pieces.map(() => 'content_block_delta'),
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  assert.ok(message.usage.output_tokens > 0)
  assert.ok(message.usage.input_tokens > 0)
})

test('what is said of a draft that is replaced stands in a block of its own', async () => {
  const drafts = createDrafts()
  const { client } = await open(undefined, { plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
  drafts.play([{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['Now it ', 'is right.'] }])
  const streamed = await client.messages.stream(QUESTION).finalMessage()
  assert.equal(textsOf(streamed), ['It is wrong.', 'Now it is right.'])
  drafts.play([{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['Now it ', 'is right.'] }])
  assert.equal(textsOf(await client.messages.create(QUESTION)), ['Now it is right.'])
})

const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  cache_control: { type: 'ephemeral' },
}
const CITIES = { ...QUESTION, tools: [WEATHER], messages: [{ role: 'user' as const, content: 'Bonn and Rome?' }] }

/** Asks the client for the weather of two cities, then says what it heard. */
const twoCities: Script = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool')
  if (results.length > 0) return `It is ${results.map(({ content }) => toText(content)).join(' and ')}.`
  return {
    text: 'I look.',
    toolCalls: ['Bonn', 'Rome'].map((city) => ({ tool: 'client.get_weather', args: { city } })),
  }
}

const callsOf = ({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] =>
  content.filter((block) => block.type === 'tool_use')

const resultsFor = (message: Anthropic.Message, say: (city: string) => string): Anthropic.ToolResultBlockParam[] =>
  callsOf(message).map(({ id, input }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text: say((input as { city: string }).city) }],
  }))

for (const isStream of [false, true]) {
  const ask = (client: Anthropic, params: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message> =>
    isStream ? client.messages.stream(params).finalMessage() : client.messages.create(params)

  test(`the tools of a client are called together, and the run goes on with what came of them${isStream ? ', streamed' : ''}`, async () => {
    const { world, client } = await open(twoCities)
    const asked = await ask(client, CITIES)
    assert.is(asked.stop_reason, 'tool_use')
    assert.equal(textsOf(asked), ['I look.'])
    assert.equal(
      callsOf(asked).map(({ name, input }) => [name, input]),
      [
        ['get_weather', { city: 'Bonn' }],
        ['get_weather', { city: 'Rome' }],
      ],
    )
    const content = resultsFor(asked, (city) => (city === 'Bonn' ? 'rainy' : 'sunny'))
    const messages = [...CITIES.messages, { role: 'assistant' as const, content: asked.content }]
    const answer = await ask(client, { ...CITIES, messages: [...messages, { role: 'user', content }] })
    assert.equal(textsOf(answer), ['It is rainy and sunny.'])
    assert.is(answer.stop_reason, 'end_turn')
    assert.is(svcOf(answer).run_id, svcOf(asked).run_id)
    assert.is.not(answer.id, asked.id)
    const run = await world.runtime.runs.get(svcOf(answer).run_id)
    assert.is(run.usage.outputTokens, asked.usage.output_tokens + answer.usage.output_tokens)
    assert.is(run.usage.inputTokens, asked.usage.input_tokens + answer.usage.input_tokens)
  })
}

test('what a user says beside results goes with them; results of a run that is gone begin another', async () => {
  const { world, client } = await open(twoCities)
  const asked = await client.messages.create(CITIES)
  const messages = [
    ...CITIES.messages,
    { role: 'assistant' as const, content: asked.content },
    {
      role: 'user' as const,
      content: [...resultsFor(asked, () => 'foggy'), { type: 'text' as const, text: 'In one word.' }],
    },
  ]
  const answer = await client.messages.create({ ...CITIES, messages })
  assert.is(svcOf(answer).run_id, svcOf(asked).run_id)
  const results = world.provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  assert.equal(
    results.map(({ content }) => toText(content)),
    ['foggy', 'foggy\nThe user says:\nIn one word.'],
  )
  const again = await client.messages.create({ ...CITIES, messages })
  assert.is.not(svcOf(again).run_id, svcOf(asked).run_id)
  assert.is((await world.runtime.runs.get(svcOf(again).run_id)).task, 'In one word.')
  assert.equal(textsOf(again), ['It is foggy and foggy.'])
  const onlyResults = [...messages.slice(0, 2), { role: 'user' as const, content: resultsFor(asked, () => 'dry') }]
  const third = await client.messages.create({ ...CITIES, messages: onlyResults })
  assert.is((await world.runtime.runs.get(svcOf(third).run_id)).task, 'Bonn and Rome?')
  assert.match(JSON.stringify(world.provider.requests.at(-1)?.messages), 'get_weather with')
})

test('a client that wants one call at a time gets one', async () => {
  const { client } = await open(twoCities)
  const params = { ...CITIES, tool_choice: { type: 'auto' as const, disable_parallel_tool_use: true } }
  const first = await client.messages.create(params)
  assert.is(callsOf(first).length, 1)
  const messages = [
    ...CITIES.messages,
    { role: 'assistant' as const, content: first.content },
    { role: 'user' as const, content: resultsFor(first, (city) => city) },
  ]
  const second = await client.messages.create({ ...params, messages })
  assert.equal(
    callsOf(second).map(({ input }) => input),
    [{ city: 'Rome' }],
  )
  const third = await client.messages.create({
    ...params,
    messages: [
      ...messages,
      { role: 'assistant', content: second.content },
      { role: 'user', content: resultsFor(second, (city) => city) },
    ],
  })
  assert.equal(textsOf(third), ['It is Bonn and Rome.'])
})

test('the conversation, its system prompt and its images reach the model as they are', async () => {
  const { world, client } = await open(() => 'It is red.')
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  await client.messages.create({
    ...QUESTION,
    system: [
      { type: 'text', text: 'You are terse.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'You like colours.' },
    ],
    messages: [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'x' },
          { type: 'text', text: 'Hello there.' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which colour is this?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A page.' }, title: 'Page 1' },
        ],
      },
    ],
  })
  const [system, ...said] = world.provider.requests[0]?.messages ?? []
  assert.match(toText(system?.content ?? []), /You are terse\.\n\nYou like colours\./)
  assert.equal(
    said.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
  assert.is(toText(said[1]?.content ?? []), 'Hello there.')
  const last = said[2]?.content ?? []
  assert.match(toText(last), /A page\./)
  assert.match(toText(last), /Which colour is this\?/)
  assert.equal(
    last.flatMap((part) => (part.type === 'image' ? [part.data] : [])),
    [png],
  )
})

test('a forced tool is answered as a call of it, and so is one of several', async () => {
  const { client } = await open(({ outputSchema }) =>
    JSON.stringify(
      JSON.stringify(outputSchema ?? {}).includes('"tool"')
        ? { tool: 'get_time', input: { zone: 'CET' } }
        : { city: 'Bonn' },
    ),
  )
  const time: Anthropic.Tool = { name: 'get_time', input_schema: { type: 'object', properties: {} } }
  const one = await client.messages.create({ ...CITIES, tool_choice: { type: 'tool', name: 'get_weather' } })
  assert.is(one.stop_reason, 'tool_use')
  assert.equal(
    one.content.map((block) => block.type === 'tool_use' && [block.name, block.input]),
    [['get_weather', { city: 'Bonn' }]],
  )
  const tools = [WEATHER, time]
  const any = await client.messages.stream({ ...CITIES, tools, tool_choice: { type: 'any' } }).finalMessage()
  assert.equal(
    any.content.map((block) => block.type === 'tool_use' && [block.name, block.input]),
    [['get_time', { zone: 'CET' }]],
  )
  const none = await client.messages.create({ ...CITIES, tools, tool_choice: { type: 'none' } })
  assert.is(none.stop_reason, 'end_turn')
})

test('an answer of a schema is its JSON alone', async () => {
  const { client } = await open(() => '{ "city": "Bonn" }')
  const schema = {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'] as const,
    additionalProperties: false as const,
  }
  const format = jsonSchemaOutputFormat(schema)
  const message = await client.messages.parse({ ...QUESTION, output_config: { format, effort: 'max' } })
  assert.equal(message.parsed_output, { city: 'Bonn' })
  const streamed = await client.messages.stream({ ...QUESTION, output_config: { format } }).finalMessage()
  assert.equal(streamed.parsed_output, { city: 'Bonn' })
  const old = await client.beta.messages.create({ ...QUESTION, output_format: { type: 'json_schema', schema } })
  assert.equal(textsOf(old), ['{"city":"Bonn"}'])
})

test('an answer of a schema may call tools first', async () => {
  const { client } = await open((request, index) =>
    request.messages.some(({ role }) => role === 'tool') ? '{"city":"Rome"}' : twoCities(request, index),
  )
  const schema = { type: 'object' as const, properties: { city: { type: 'string' as const } } }
  const params = { ...CITIES, output_config: { format: { type: 'json_schema' as const, schema } } }
  const asked = await client.messages.stream(params).finalMessage()
  assert.is(callsOf(asked).length, 2)
  const answer = await client.messages.create({
    ...params,
    messages: [
      ...CITIES.messages,
      { role: 'assistant', content: asked.content },
      { role: 'user', content: resultsFor(asked, () => 'sunny') },
    ],
  })
  assert.equal(textsOf(answer), ['{"city":"Rome"}'])
})

test('an answer ends before a stop sequence, wherever its pieces are cut', async () => {
  const { client } = await open(() => 'Thought: look. Action: look Observation: I made this up.')
  const params = { ...QUESTION, stop_sequences: ['\n\nHuman:', ' Observation:'] }
  for (const message of [await client.messages.create(params), await client.messages.stream(params).finalMessage()]) {
    assert.equal(textsOf(message), ['Thought: look. Action: look'])
    assert.equal([message.stop_reason, message.stop_sequence], ['stop_sequence', ' Observation:'])
  }
})

test('an answer that reached max_tokens says so', async () => {
  const { world, client } = await open(() => ({ text: 'The answer is', finishReason: 'length' }))
  const message = await client.messages.create({ ...QUESTION, max_tokens: 3 })
  assert.is(message.stop_reason, 'max_tokens')
  assert.equal(textsOf(message), ['The answer is'])
  assert.is(world.provider.requests[0]?.maxOutputTokens, 3)
})

test('tokens are counted with instructions, tools and images', async () => {
  const { client } = await open()
  const { input_tokens: little } = await client.messages.countTokens({ model: 'svc', messages: QUESTION.messages })
  assert.ok(little > 5 && little < 30, String(little))
  const { input_tokens: more } = await client.beta.messages.countTokens({
    model: 'svc',
    messages: QUESTION.messages,
    system: 'You are terse. '.repeat(100),
    tools: [WEATHER],
  })
  assert.ok(more > little + 300, String(more))
})

/** What a refused request is answered with. */
async function refusal(asked: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> {
  const thrown = await asked.catch((error) => error)
  assert.instance(thrown, Anthropic.APIError, String(thrown))
  return thrown as InstanceType<typeof Anthropic.APIError>
}

const typeOf = ({ error }: InstanceType<typeof Anthropic.APIError>): unknown =>
  (error as { error?: { type?: string } } | undefined)?.error?.type

test('what is wrong with a request is said by the name of its field', async () => {
  const { world, client } = await open()
  const url = { type: 'url' as const, url: 'https://example.org/a.png' }
  const user = (content: Anthropic.ContentBlockParam[]): Anthropic.MessageParam[] => [{ role: 'user', content }]
  const wrong: [Partial<Anthropic.MessageCreateParamsNonStreaming>, string][] = [
    [{ max_tokens: undefined as never }, '/max_tokens is required'],
    [{ max_tokens: 0 }, '/max_tokens must be >= 1'],
    [{ messages: [] }, '/messages must not have fewer than 1 items'],
    [{ temperature: 2 } as object, '/temperature must be <= 1'],
    [
      { messages: user([{ type: 'image', source: url }]) },
      '/messages/0/content/0/source/type must be "base64", not "url"',
    ],
    [
      { messages: user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }]) },
      '/messages/0/content/0/source data must be a PNG',
    ],
    [
      { messages: user([{ type: 'container_upload', file_id: 'x' }]) },
      '/messages/0/content/0/type must be text, image, document, search_result or tool_result, not "container_upload"',
    ],
    [
      { messages: [...QUESTION.messages, { role: 'assistant', content: 'It is' }] },
      'must end with a message of the user',
    ],
    [
      {
        messages: [
          ...QUESTION.messages,
          { role: 'assistant', content: 'Hm.' },
          ...user([{ type: 'tool_result', tool_use_id: 'toolu_1' }]),
        ],
      },
      '/messages/2/content/0/tool_use_id must be the id of a tool_use of the message before, not toolu_1',
    ],
    [
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      '/tools/0/type must be custom, not "web_search_20250305"',
    ],
    [
      { tools: [{ name: 'x', input_schema: { type: 'object', properties: { task: { type: 'nothing' } } } }] },
      '/tools/0/input_schema/properties/task/type ',
    ],
    [{ tools: [WEATHER, WEATHER] }, '/tools/1/name names "get_weather" again'],
    [
      { tools: [WEATHER], tool_choice: { type: 'tool', name: 'x' } },
      '/tool_choice/name must be one of the tools: get_weather',
    ],
    [{ messages: [{ role: 'user', content: 'x'.repeat(200_001) }] }, '/messages must have at most 200000 characters'],
  ]
  for (const [params, message] of wrong) {
    const error = await refusal(client.messages.create({ ...QUESTION, ...params }))
    assert.instance(error, Anthropic.BadRequestError, message)
    assert.is(typeOf(error), 'invalid_request_error')
    assert.ok(error.message.includes(JSON.stringify(message).slice(1, -1)), `${message} <> ${error.message}`)
    assert.match(error.requestID ?? '', /^req_/)
  }
  for (const model of ['claude-sonnet-5', 'gone/model']) {
    const unknown = await refusal(client.messages.create({ ...QUESTION, model }))
    assert.instance(unknown, Anthropic.NotFoundError)
    assert.is(typeOf(unknown), 'not_found_error')
    assert.match(unknown.message, 'svc', model)
  }
  const large = await refusal(
    client.messages.create({ ...QUESTION, messages: [{ role: 'user', content: 'x'.repeat(34e6) }] }),
  )
  assert.is(large.status, 413)
  assert.is(typeOf(large), 'request_too_large')
  const keyed = await openServer({ server: { keys: () => ['a-good-key'] } })
  const nobody = await refusal(clientOf(keyed, 'wrong').messages.create(QUESTION))
  assert.instance(nobody, Anthropic.AuthenticationError)
  assert.is(typeOf(nobody), 'authentication_error')
  const method = await world.ask('GET', '/v1/messages')
  assert.is(method.status, 405)
  assert.is((method.json as { type?: string }).type, 'error')
})

test('a run that fails is an error of HTTP, and of a stream an event', async () => {
  const { client } = await open(() => ({
    error: new ProviderError('provider_unavailable', 'the model is away', { provider: 'scripted', retryable: false }),
  }))
  const error = await refusal(client.messages.create(QUESTION))
  assert.is(error.status, 502)
  assert.is(typeOf(error), 'api_error')
  assert.match(error.message, 'the model is away')
  const streamed = await refusal(client.messages.stream(QUESTION).finalMessage())
  assert.is(typeOf(streamed), 'api_error')
  assert.match(streamed.message, 'the model is away')
})

for (const isStream of [false, true])
  test(`a client that leaves ends its run${isStream ? ', streamed' : ''}`, async () => {
    const model = pausing()
    const { world, client } = await open(model.script)
    const leaving = new AbortController()
    const asked = isStream
      ? client.messages.stream(QUESTION, { signal: leaving.signal }).finalMessage()
      : client.messages.create(QUESTION, { signal: leaving.signal })
    await model.isAsked
    leaving.abort()
    await asked.catch(() => {})
    await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
  })

test('a client that reads nothing is cut off, and its run ends', async () => {
  const { world } = await open(undefined, {
    server: { limits: { sseBufferBytes: 10_000 } },
    plugins: [endless()],
    config: { model: 'endless/endless' },
  })
  const body = JSON.stringify({ ...QUESTION, stream: true })
  const socket = connect(world.port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
  socket.destroy()
})

test('what needs an approval is denied, and the answer says so, also where the model claims otherwise', async () => {
  const { world, client } = await open(postingScript, { plugins: [posting()] })
  const messages = [{ role: 'user' as const, content: 'Post a message to the team' }]
  for (const message of [
    await client.messages.create({ ...QUESTION, messages }),
    await client.messages.stream({ ...QUESTION, messages }).finalMessage(),
  ]) {
    assert.is(message.stop_reason, 'end_turn')
    const [text = '', ...more] = textsOf(message)
    assert.match(text, /^I posted the message "hello"\.\n\n\[svc: post_message may use the network and nobody is there/)
    assert.match(text, /no call did it/)
    assert.equal(more, [])
    const { result } = await world.runtime.runs.get(svcOf(message).run_id)
    assert.is((result as { toolCalls: { denied: number } }).toolCalls.denied, 1)
  }
})

test('the models are listed as those of Anthropic for its clients, and as those of OpenAI for others', async () => {
  const models = [{ id: 'large', context: 200_000, maxOutput: 8_000 }, { id: 'small' }]
  const { world, client } = await open(undefined, { models, config: { model: 'scripted/large' } })
  const ids: string[] = []
  for await (const { id } of client.models.list({ limit: 2 })) ids.push(id)
  assert.equal(ids.slice(0, 3), ['svc', 'scripted/large', 'scripted/small'])
  const [svc] = (await client.beta.models.list()).data
  assert.equal(
    [svc?.display_name, svc?.type, svc?.max_input_tokens, svc?.max_tokens],
    ['svc (scripted/large)', 'model', 200_000, 8_000],
  )
  assert.is((await world.ask('GET', '/v1/models')).json.object, 'list')
})

test('keys, limits and the end of the server hold as on other routes', async () => {
  const key = (name: string): string => name.repeat(32)
  const keys = [
    { name: 'a', key: key('a'), scopes: ['submit' as const] },
    { name: 'b', key: key('b'), scopes: ['approve' as const] },
  ]
  const { world } = await open(undefined, {
    server: { keys: () => keys, limits: { sseTotal: 0, requestsPerMinute: 3 } },
  })
  assert.is(svcOf(await clientOf(world, key('a')).messages.create(QUESTION)).status, 'completed')
  const denied = await refusal(clientOf(world, key('b')).messages.create(QUESTION))
  assert.instance(denied, Anthropic.PermissionDeniedError)
  assert.is(typeOf(denied), 'permission_error')
  const busy = await refusal(clientOf(world, key('a')).messages.create({ ...QUESTION, stream: true }))
  assert.instance(busy, Anthropic.RateLimitError)
  assert.match(busy.message, 'event streams')
  await clientOf(world, key('a')).messages.countTokens(QUESTION)
  const fast = await refusal(clientOf(world, key('a')).messages.create(QUESTION))
  assert.is(typeOf(fast), 'rate_limit_error')
  assert.ok(Number(fast.headers?.get('retry-after')) > 0)
  const other = await askWith(world.port, '/v1/messages', { host: 'evil.example' }, 'POST')
  assert.is(other.status, 421)
  assert.is(other.json.type, 'error')
})

test('a stream goes on while the server drains, and new requests are refused as overload', async () => {
  const model = pausing()
  const { world, client } = await open(model.script)
  const stream = client.messages.stream(QUESTION)
  const answer = stream.finalMessage()
  await model.isAsked
  const closed = world.server.close(60_000)
  const late = await refusal(client.messages.create(QUESTION))
  model.answer()
  assert.equal(textsOf(await answer), ['The answer is 42.'])
  await closed
  assert.is(late.status, 503)
  assert.is(typeOf(late), 'overloaded_error')
})

test('a request that is sent again under its key is the same run', async () => {
  const { client } = await open()
  const headers = { 'Idempotency-Key': 'once' }
  const first = await client.messages.create(QUESTION, { headers })
  const again = await client.messages.create(QUESTION, { headers })
  assert.is(again.id, first.id)
  assert.equal(textsOf(again), textsOf(first))
  const other = await refusal(client.messages.create({ ...QUESTION, max_tokens: 7 }, { headers }))
  assert.is(other.status, 422)
})

test('switched off, it is not there', async () => {
  const { client } = await open(undefined, { server: { adapters: { anthropic: false } } })
  assert.is((await refusal(client.messages.create(QUESTION))).status, 404)
})

test('what a model is not sent of a long conversation is said', async () => {
  const { client } = await open()
  const long = Array.from({ length: 40 }, (_, index) => [
    { role: 'user' as const, content: `Question ${index}? ${'word '.repeat(1_000)}` },
    { role: 'assistant' as const, content: 'Yes.' },
  ]).flat()
  const message = await client.messages.create({ ...QUESTION, messages: [...long, ...QUESTION.messages] })
  const { warnings } = svcOf(message) as { warnings?: { code: string; message: string }[] }
  assert.equal(
    warnings?.map(({ code }) => code),
    ['turns_left_out'],
  )
})

test.run()
