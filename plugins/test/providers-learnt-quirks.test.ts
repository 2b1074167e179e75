/** What refusals of real servers teach, and calls that small models write into their text. */
import { type Message, type Quirks, textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Shape } from '../src/providers/format/shape.ts'
import { readCalls, TextCalls } from '../src/providers/format/text-calls.ts'
import { createProvider } from '../src/providers/index.ts'
import { findLesson } from '../src/providers/wire/refusals.ts'
import { ask, failure, toRequest } from './fixtures/ask.ts'
import { type FakeServer, sendJson, startFakeServer } from './fixtures/fake-server.ts'

const test = suite('lessons of providers')

let server: FakeServer
test.before(async () => {
  server = await startFakeServer()
})
test.after(() => server.close())

const shape = (quirks: Quirks = {}): Shape => ({ quirks, model: { id: 'm' }, learnt: new Set(), isNative: false })
const tool = { type: 'function', function: { name: 'add' } }
const BODY = {
  max_tokens: 32_000,
  temperature: 0,
  seed: 1,
  stream: true,
  stream_options: { include_usage: true },
  tools: [tool],
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hello' },
  ],
}
const SCHEMA = { response_format: { type: 'json_schema' } }

const shown = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'look' }, part] }] })
const IMAGE = shown({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } })
const FILE = shown({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } })

/** Words of real servers, what they were sent beside `BODY`, and what is learnt; more of them are played as endpoints. */
const REFUSALS: [string, object, object | undefined][] = [
  ['this model does not support image input (ref: b8bd630e)', IMAGE, { model: { vision: false } }],
  [
    "400 Invalid value: file. Supported values are: 'text','image_url','video_url' and 'video'.",
    FILE,
    { model: { pdf: false } },
  ],
  ['image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes', IMAGE, undefined],
  ['this model does not support image input', {}, undefined],
  [
    'max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307',
    {},
    { model: { maxOutput: 4096 } },
  ],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', {}, { model: { maxOutput: 8192 } }],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 30 input tokens",
    {},
    { quirks: { stripParams: ['max_tokens'] } },
  ],
  ['tools param requires --jinja flag', {}, { quirks: { textToolCalls: true } }],
  ['"auto" tool choice requires --enable-auto-tool-choice to be set', {}, { quirks: { textToolCalls: true } }],
  ['Function calling is not enabled for models/gemma-3-4b-it', {}, { quirks: { textToolCalls: true } }],
  ['tool_choice is not supported by this model', { tool_choice: 'required' }, { quirks: { noToolChoice: true } }],
  [
    "Function calling with a response mime type: 'application/json' is unsupported",
    SCHEMA,
    { model: { json: 'none' } },
  ],
  ["'response_format.type' must be 'json_object' or 'text'", SCHEMA, { model: { json: 'object' } }],
  [
    'This response_format type is unavailable now',
    { response_format: { type: 'json_object' } },
    { model: { json: 'none' } },
  ],
  ['Only user and assistant roles are supported!', {}, { quirks: { systemRole: 'user' } }],
  ['System message must be at the beginning.', {}, { quirks: { mergeSystem: true } }],
  ['Unknown name "seed": Cannot find field.', {}, { quirks: { stripParams: ['seed'] } }],
  // Nothing that could be left out is named.
  ['messages: at least one message is required', {}, undefined],
  ['the tool add has an invalid schema: type is missing', {}, undefined],
]

for (const [message, more, expected] of REFUSALS) {
  test(`a server says: ${message.slice(0, 70)}`, () => {
    const body = Object.fromEntries(Object.entries({ ...BODY, ...more }).filter(([, value]) => value !== undefined))
    assert.equal(findLesson(`house/m: 400 ${message}`, body, shape()), expected)
  })
}

test('what a config switches off is not switched on by a refusal', () => {
  assert.is(findLesson('this model does not support tools', BODY, shape({ textToolCalls: false })), undefined)
})

test('a refusal for a shape that was changed for it is final', async () => {
  server.answer((response) => sendJson(response, { error: { message: 'stream_options is not supported' } }, 400))
  const house = createProvider('stubborn', { type: 'openai', baseUrl: server.url, defaultModel: 'm' }, { env: {} })
  const first = await failure(house, toRequest({ stream: true }))
  assert.equal([first.learnt, first.retryable], [['quirks.noStreamUsage: true'], false])
  const second = await failure(house, toRequest({ stream: true }))
  assert.is(second.learnt, undefined)
})

test('calls of one time learn the same lesson, and a provider that is made again knows it', async () => {
  server.answer((response, { body }) => {
    if ('temperature' in body) sendJson(response, { error: { message: 'temperature is not supported' } }, 400)
    else sendJson(response, { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] })
  })
  const make = () => createProvider('twice', { type: 'openai', baseUrl: server.url, defaultModel: 'm' }, { env: {} })
  const house = make()
  const request = toRequest({ temperature: 0 })
  const errors = await Promise.all([1, 2, 3].map(() => failure(house, request)))
  for (const { learnt } of errors) assert.equal(learnt, ['quirks.stripParams: ["temperature"]'])
  assert.is((await ask(make(), request)).text, 'ok')
  // Another model is another matter.
  assert.ok((await failure(house, { ...request, model: 'other' })).learnt)
})

test('the other wires learn as well what their fields are called', async () => {
  const whole = {
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }],
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  for (const [type, field] of [
    ['anthropic', 'max_tokens'],
    ['openai-responses', 'max_output_tokens'],
  ] as const) {
    server.answer((response, { body }) => {
      const message = `${field}: ${body[field]} > 4096, which is the maximum allowed number of output tokens`
      if (Number(body[field]) > 4096) sendJson(response, { error: { message, type: 'invalid_request_error' } }, 400)
      else if ('temperature' in body) sendJson(response, { error: { message: '`temperature` is deprecated' } }, 400)
      else sendJson(response, whole)
    })
    const house = createProvider(type, { type, baseUrl: server.url, defaultModel: 'old' }, { env: {} })
    const request = toRequest({ maxOutputTokens: 9_000, temperature: 0 })
    assert.equal((await failure(house, request)).learnt, ['models.old.maxOutput: 4096'])
    assert.equal((await failure(house, request)).learnt, ['quirks.stripParams: ["temperature"]'])
    assert.is((await ask(house, request)).text, 'ok')
    assert.is(server.last().body[field], 4096)
  }
})

test('a model without tools reads of them in words, and of what they returned', async () => {
  server.answer((response) => sendJson(response, { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }))
  const quirks = { textToolCalls: true, systemRole: 'user' } as const
  const house = createProvider(
    'words',
    { type: 'openai', baseUrl: server.url, defaultModel: 'm', models: { m: {}, able: { tools: true } }, quirks },
    { env: {} },
  )
  const messages: Message[] = [
    textMessage('system', 'be brief'),
    textMessage('user', 'add 1 and 2'),
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'I will.' }],
      toolCalls: [{ callId: 'c1', tool: 'math.add', args: { a: 1 } }],
    },
    { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: '3' }] },
    textMessage('user', 'go on'),
  ]
  const tools = [{ id: 'math.add', description: 'adds', parameters: { type: 'object' } }]
  await ask(house, toRequest({ messages, tools, toolChoice: 'required' }))
  const { body } = server.last()
  assert.equal([body.tools, body.tool_choice], [undefined, undefined])
  const [first, turn, result, ...rest] = body.messages as { role: string; content: string }[]
  assert.is(first?.role, 'user')
  assert.match(first?.content ?? '', /^be brief\n\nYou have tools\./)
  assert.match(first?.content ?? '', 'Call a tool now.')
  assert.match(first?.content ?? '', '{"name":"math_add","description":"adds","parameters":{"type":"object"}}')
  assert.match(first?.content ?? '', /\n\nadd 1 and 2$/)
  const call = '<tool_call>\n{"name":"math_add","arguments":{"a":1}}\n</tool_call>'
  assert.equal(turn, { role: 'assistant', content: `I will.\n${call}` })
  assert.equal(result, { role: 'user', content: '<tool_response>\n3\n</tool_response>\n\ngo on' })
  assert.equal(rest, [])

  await ask(house, toRequest({ messages, tools, toolChoice: 'none' }))
  assert.not.match(JSON.stringify(server.last().body.messages), 'You have tools')
  await ask(house, toRequest({ messages, tools, model: 'able' }))
  assert.is((server.last().body.tools as unknown[]).length, 1)
})

test('the text of a model that calls tools as the format says is never a call', async () => {
  const text = '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
  const native = { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } }] }
  const tools = [{ id: 'add', description: 'adds', parameters: { type: 'object' } }]
  const house = createProvider('native', { type: 'openai', baseUrl: server.url, defaultModel: 'm' }, { env: {} })
  const say = (message: object) =>
    server.answer((response) => sendJson(response, { choices: [{ message, finish_reason: 'stop' }] }))
  say({ content: null, ...native })
  assert.is((await ask(house, toRequest({ tools }))).toolCalls.length, 1)
  say({ content: text })
  const answer = await ask(house, toRequest({ tools }))
  assert.equal([answer.text, answer.toolCalls], [text, []])
})

const CALL = { name: 'add', args: { a: 1, b: ['x}', '"', '</tool_call'] } }
const JSON_CALL = JSON.stringify({ name: CALL.name, arguments: CALL.args })
const DIALECTS: Readonly<Record<string, string>> = {
  hermes: `<tool_call>\n${JSON_CALL}\n</tool_call>`,
  'hermes without its end': `<tool_call>${JSON_CALL}`,
  llama: `<function=add>${JSON.stringify(CALL.args)}</function>`,
  'llama with its tag': `<|python_tag|>{"name":"add","parameters":${JSON.stringify(CALL.args)}}<|eom_id|>`,
  bare: `{"name":"add","parameters":${JSON.stringify(CALL.args)}}`,
  'bare as of the API': `{"type":"function","function":{"name":"add","arguments":${JSON.stringify(CALL.args)}}}`,
  mistral: `[TOOL_CALLS] [${JSON_CALL}]`,
  'mistral with the name first': `[TOOL_CALLS]add[ARGS]${JSON.stringify(CALL.args)}`,
  granite: `<|tool_call|>[${JSON_CALL}]`,
  phi: `functools[${JSON_CALL}]`,
  deepseek: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n\`\`\`json\n${JSON.stringify(CALL.args)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  fence: `\`\`\`json\n${JSON_CALL}\n\`\`\``,
}

for (const [name, text] of Object.entries(DIALECTS)) {
  test(`a call in the dialect ${name} is found wherever the pieces are cut`, () => {
    assert.equal(readCalls(text), [CALL])
    const whole = `\n${text}`
    for (let size = 1; size <= whole.length; size++) {
      const calls = new TextCalls(new Set(['add']), false)
      let shown = ''
      for (let at = 0; at < whole.length; at += size) shown += calls.take(whole.slice(at, at + size))
      const end = calls.end(false)
      assert.equal([shown.trim(), end.text, end.calls], ['', '', [CALL]])
    }
  })
}

test('parameters of Qwen Coder are numbers and lists where they are, else text', () => {
  const text =
    '<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n["x"]\n</parameter>\n<parameter=c>\ntwo\nlines\n</parameter>\n</function>\n</tool_call>'
  assert.equal(readCalls(text), [{ name: 'add', args: { a: 1, b: ['x'], c: 'two\nlines' } }])
})

test('several calls in one text are several calls', () => {
  const two = [CALL, { name: 'sub', args: {} }]
  const json = two.map(({ name, args }) => JSON.stringify({ name, arguments: args }))
  assert.equal(readCalls(json.map((each) => `<tool_call>${each}</tool_call>`).join('\n')), two)
  assert.equal(readCalls(`[TOOL_CALLS] [${json.join(', ')}]`), two)
  assert.equal(readCalls(json.join(';\n')), two)
})

test('a text that only looks like a call is an answer, as are calls of tools that are not offered', () => {
  for (const text of [
    '{"name": "Oslo", "country": "Norway"}',
    '{"name": "remove", "arguments": {}}',
    `Write ${DIALECTS.fence} to call it.`,
    `In Hermes' words: <tool_call>${JSON_CALL}</tool_call> calls it.`,
    '```json\n{"a": 1}\n```',
    '[1, 2]',
    '<tool_call> is a tag',
    'a < b, and functools is a module',
  ]) {
    const calls = new TextCalls(new Set(['add']), false)
    const shown = calls.take(text)
    const end = calls.end(false)
    assert.equal([shown + end.text, end.calls], [text, []], text)
  }
})

test('a call that the output limit cut keeps what was written of its arguments', () => {
  const calls = new TextCalls(new Set(['add']), true)
  assert.is(calls.take('Here: <tool_call>{"name": "add", "arguments": {"a": "some te'), 'Here: ')
  assert.equal(calls.end(true).calls, [{ name: 'add', args: '{"a": "some te' }])
})

test.run()
