/** Chat completions, in the hands of OpenAI's own client. */
import { ProviderError } from '@svc/core'
import type OpenAI from 'openai'
import * as assert from 'uvu/assert'
import { createDrafts } from '../fixtures/drafts.ts'
import { serverSuite } from '../fixtures/open-server.ts'
import { clientOf, failureOf, heard, openForOpenAi } from '../fixtures/openai-client.ts'
import { createGate, until } from '../fixtures/until.ts'

const test = serverSuite('chat completions')

type Chunk = OpenAI.ChatCompletionChunk
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is 6 times 7?' }]
const ask = { model: 'svc', messages }

async function readAll(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')

test('a question gets an answer with its usage, and the run it came from', async () => {
  const { client, runtime } = await openForOpenAi({
    script: () => ({
      text: 'The answer is 42.',
      usage: { inputTokens: 50, outputTokens: 9, cachedTokens: 40, reasoningTokens: 3, estimated: false },
    }),
  })
  const { data: answer, response } = await client.chat.completions.create(ask).withResponse()
  const [choice] = answer.choices
  assert.is(choice?.message.content, 'The answer is 42.')
  assert.is(choice?.message.role, 'assistant')
  assert.is(choice?.finish_reason, 'stop')
  assert.is(answer.model, 'svc')
  assert.is(answer.object, 'chat.completion')
  assert.equal(answer.usage, {
    prompt_tokens: 50,
    completion_tokens: 9,
    total_tokens: 59,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 3 },
  })
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
  const { svc } = answer as unknown as { svc: { run_id: string } }
  const run = await runtime.runs.get(svc.run_id)
  assert.is(run.task, 'What is 6 times 7?')
  assert.is(answer.id, run.id.replace('run_', 'chatcmpl_'))
  assert.equal(svc, { run_id: run.id, status: 'completed', verdict: run.verdict })
})

test('a stream has the role first, pieces, one reason to finish, and its usage where it is asked for', async () => {
  const { client, ask: send } = await openForOpenAi()
  const plain = await readAll(await client.chat.completions.create({ ...ask, stream: true }))
  assert.equal(plain[0]?.choices[0]?.delta, { role: 'assistant', content: '', refusal: null })
  assert.ok(plain.length > 4)
  assert.is(textOf(plain), 'The answer is 42.')
  assert.equal(
    plain.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
    ['stop'],
  )
  assert.is(plain.at(-1)?.choices[0]?.finish_reason, 'stop')
  assert.ok(plain.every(({ usage, choices }) => usage === undefined && choices.length === 1))
  assert.is(new Set(plain.map(({ id }) => id)).size, 1)

  const options = { stream: true, stream_options: { include_usage: true } } as const
  const counted = await readAll(await client.chat.completions.create({ ...ask, ...options }))
  assert.equal(counted.at(-1)?.choices, [])
  assert.ok(Number(counted.at(-1)?.usage?.total_tokens) > 0)
  assert.ok(counted.slice(0, -1).every(({ usage }) => usage === null))
  const raw = await send('POST', '/v1/chat/completions', { body: { ...ask, stream: true } })
  assert.match(raw.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.ok(raw.text.endsWith('data: [DONE]\n\n'))

  const helped = client.chat.completions.stream(ask)
  assert.is(await helped.finalContent(), 'The answer is 42.')
})

test('the whole conversation reaches the model: turns, instructions, images, files and settings', async () => {
  const world = await openForOpenAi({ models: [{ id: 'scripted', tools: true, vision: true, pdf: true }] })
  const png = `data:image/png;base64,${ONE_PIXEL}`
  await world.client.chat.completions.create({
    model: 'scripted/scripted',
    messages: [
      { role: 'system', content: 'Answer in one word.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
      { role: 'assistant', content: 'Red.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And these?' },
          { type: 'image_url', image_url: { url: png } },
          { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${btoa('four five')}` } },
        ],
      },
    ],
    temperature: 0.3,
    max_completion_tokens: 77,
    reasoning_effort: 'minimal',
    metadata: { a: 'b' },
    user: 'u-1',
    frequency_penalty: 1,
  })
  const request = world.provider.requests.at(-1)
  assert.match(JSON.stringify(request?.messages[0]), /Answer in one word\.\\n\\nBe kind\./)
  assert.equal([request?.temperature, request?.maxOutputTokens, request?.effort], [0.3, 77, 'low'])
  const [first, second, third] = request?.messages.slice(1) ?? []
  assert.equal([first?.role, second?.role, third?.role], ['user', 'assistant', 'user'])
  assert.ok(first?.content.some(({ type }) => type === 'image'))
  assert.ok(third?.content.some(({ type }) => type === 'image'))
  assert.match(JSON.stringify(third?.content), /a\.txt:\\nfour five/)
  assert.match(JSON.stringify(third?.content), /And these\?/)
})

test('an answer is shown up to a sequence that it is to stop at', async () => {
  const { client } = await openForOpenAi({ script: () => 'One two three\nObservation: four' })
  const stop = ['\nObservation', 'five']
  const whole = await client.chat.completions.create({ ...ask, stop })
  assert.is(whole.choices[0]?.message.content, 'One two three')
  const chunks = await readAll(await client.chat.completions.create({ ...ask, stop, stream: true }))
  assert.is(textOf(chunks), 'One two three')
  const other = await readAll(await client.chat.completions.create({ ...ask, stop: 'fourth', stream: true }))
  assert.is(textOf(other), 'One two three\nObservation: four')
})

test('an answer that is cut says so', async () => {
  const { client } = await openForOpenAi({ script: () => ({ text: 'This is a', finishReason: 'length' }) })
  const answer = await client.chat.completions.create({ ...ask, max_tokens: 3 })
  assert.is(answer.choices[0]?.finish_reason, 'length')
  assert.is(answer.choices[0]?.message.content, 'This is a')
})

test('a draft that is replaced stays, and the answer stands by itself behind it', async () => {
  const drafts = createDrafts()
  const { client } = await openForOpenAi({ plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
  drafts.play([{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['This ', 'is right.'] }])
  const chunks = await readAll(await client.chat.completions.create({ ...ask, stream: true }))
  assert.is(textOf(chunks), 'It is wrong.\n\nThis is right.')
  drafts.play([{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['This ', 'is right.'] }])
  const whole = await client.chat.completions.create(ask)
  assert.is(whole.choices[0]?.message.content, 'This is right.')
})

test('what needs approval is denied, and the answer says so', async () => {
  const { client } = await openForOpenAi({
    script: (request) => {
      const { results } = heard(request)
      if (results.length === 0) return { toolCalls: [{ tool: 'write_file', args: { path: 'a.txt', content: 'x' } }] }
      return `The file was not written. ${results.join()}`
    },
  })
  const answer = await client.chat.completions.create({ ...ask, messages: [{ role: 'user', content: 'Write a.txt.' }] })
  assert.match(answer.choices[0]?.message.content ?? '', /not written\. .*approval_required/)
  const { svc } = answer as unknown as { svc: { warnings: { code: string }[] } & Record<string, unknown> }
  const { status, verdict, reason, denied_calls } = svc
  assert.equal([status, verdict, reason, denied_calls], ['incomplete', 'unverified', 'approval_denied', 1])
  assert.ok(svc.warnings.some(({ code }) => code === 'approval_required'))
})

test('what a model is not sent of a long conversation is said', async () => {
  const { client } = await openForOpenAi()
  const long = Array.from({ length: 40 }, (_, index) => [
    { role: 'user' as const, content: `Question ${index}? ${'word '.repeat(1_000)}` },
    { role: 'assistant' as const, content: 'Yes.' },
  ]).flat()
  const answer = await client.chat.completions.create({ ...ask, messages: [...long, ...messages] })
  const { svc } = answer as unknown as { svc: { warnings: { code: string }[] } }
  assert.equal(
    svc.warnings.map(({ code }) => code),
    ['turns_left_out'],
  )
})

test('a run that fails is an error of HTTP, and the last thing in a stream', async () => {
  const error = new ProviderError('provider_auth', 'the key of the provider is wrong', { provider: 'scripted' })
  const { client } = await openForOpenAi({ script: () => ({ error }) })
  const thrown = await failureOf(client.chat.completions.create(ask))
  assert.is(thrown.status, 502)
  assert.is(thrown.code, 'provider_auth')
  assert.is(thrown.type, 'server_error')
  assert.match(thrown.message, /the key of the provider is wrong/)
  const stream = await client.chat.completions.create({ ...ask, stream: true })
  const chunks: Chunk[] = []
  const broken = await failureOf(
    (async () => {
      for await (const chunk of stream) chunks.push(chunk)
    })(),
  )
  assert.is(textOf(chunks), '')
  assert.is(broken.code, 'provider_auth')
})

test('a client that leaves ends what only it waited for', async () => {
  for (const stream of [false, true]) {
    const isAsked = createGate()
    const never = createGate()
    const world = await openForOpenAi({
      script: async () => {
        isAsked.open()
        await never.passed
        return 'too late'
      },
    })
    const leaving = new AbortController()
    const { completions } = world.client.chat
    const { signal } = leaving
    const asking: Promise<unknown> = stream
      ? completions.create({ ...ask, stream }, { signal }).then(readAll)
      : completions.create(ask, { signal })
    asking.catch(() => {})
    await isAsked.passed
    leaving.abort()
    await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
    never.open()
    await world.close()
  }
})

test('a request that is sent again under its key is answered by the same run', async () => {
  const { client, provider } = await openForOpenAi()
  const options = { headers: { 'Idempotency-Key': 'k-1' } }
  const first = await client.chat.completions.create(ask, options)
  const again = await client.chat.completions.create(ask, options).withResponse()
  assert.is(again.data.id, first.id)
  assert.is(again.response.headers.get('idempotency-replayed'), 'true')
  assert.is(provider.requests.length, 1)
  const other = await failureOf(client.chat.completions.create({ ...ask, seed: 1 }, options))
  assert.is(other.status, 422)
})

test('the models are those of the server, svc first', async () => {
  const { client, ask: send } = await openForOpenAi()
  const models = (await client.models.list()).data
  assert.equal(models[0], { id: 'svc', object: 'model', created: 0, owned_by: 'svc' })
  assert.is((await client.models.retrieve('svc')).id, 'svc')
  assert.is((await client.models.retrieve('scripted/scripted')).owned_by, 'scripted')
  assert.is((await send('GET', '/v1/models/scripted/scripted')).json.id, 'scripted/scripted')
  assert.is((await failureOf(client.models.retrieve('gpt-9'))).code, 'model_not_found')
})

test('another key, a switched off adapter and a full server are answered in OpenAI’s shape', async () => {
  const world = await openForOpenAi({ server: { keys: () => ['good'], limits: { requestsPerMinute: 2 } } })
  const wrong = await failureOf(clientOf(world.url, 'bad').chat.completions.create(ask))
  assert.equal([wrong.status, wrong.type, wrong.code], [401, 'authentication_error', 'unauthenticated'])
  const good = clientOf(world.url, 'good')
  await good.chat.completions.create(ask)
  await good.chat.completions.create(ask)
  const many = await failureOf(good.chat.completions.create(ask))
  assert.equal([many.status, many.type, many.code], [429, 'rate_limit_error', 'rate_limited'])
  assert.ok(Number(many.headers?.get('retry-after')) > 0)
  world.server.reload({ adapters: { openai: false } })
  assert.is((await failureOf(good.chat.completions.create(ask))).status, 404)
})

const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const wrongs: [string, object, string | null][] = [
  ['no message', { messages: [] }, 'messages'],
  ['no user', { messages: [{ role: 'system', content: 'x' }] }, 'messages'],
  ['another role', { messages: [{ role: 'king', content: 'x' }] }, 'messages[0].role'],
  [
    'a link',
    { messages: [{ role: 'user', content: [image('https://example.org/a.png')] }] },
    'messages[0].content[0].image_url.url',
  ],
  [
    'no image',
    { messages: [{ role: 'user', content: [image('data:image/png;base64,AAAA')] }] },
    'messages[0].content[0].image_url.url',
  ],
  ['sound', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages[0].content[0].type'],
  ['a result of nothing', { messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
  ['several answers', { n: 2 }, 'n'],
  ['a number in words', { temperature: 'warm' }, 'temperature'],
  ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  ['a choice of no tool', { tool_choice: { type: 'function', function: { name: 'x' } } }, 'tool_choice'],
  ['a shape of no kind', { response_format: { type: 'xml' } }, 'response_format.type'],
  [
    'a shape without a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
    'response_format.json_schema.schema',
  ],
  ['old functions', { functions: [] }, 'functions'],
  ['too many stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
  ['too long a task', { messages: [{ role: 'user', content: 'x'.repeat(200_001) }] }, 'messages'],
]

function image(url: string) {
  return { type: 'image_url', image_url: { url } }
}

test('what cannot be done is refused with the name of the field', async () => {
  const { client, provider } = await openForOpenAi()
  for (const [what, fields, param] of wrongs) {
    const thrown = await failureOf(client.chat.completions.create({ ...ask, ...fields } as typeof ask))
    assert.equal([thrown.status, thrown.type, thrown.param], [400, 'invalid_request_error', param], what)
    assert.match(thrown.message, String(param), what)
  }
  const unknown = await failureOf(client.chat.completions.create({ ...ask, model: 'gpt-9' }))
  assert.equal([unknown.status, unknown.code, unknown.param], [404, 'model_not_found', 'model'])
  assert.match(unknown.message, /"svc" is the default one/)
  assert.is(provider.requests.length, 0)
})

test.run()
