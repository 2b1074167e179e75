/** Responses, in the hands of OpenAI's own client. */
import { ProviderError } from '@svc/core'
import type OpenAI from 'openai'
import * as assert from 'uvu/assert'
import { createDrafts } from '../fixtures/drafts.ts'
import { serverSuite } from '../fixtures/open-server.ts'
import { city, failureOf, openForOpenAi, sentLast, weatherScript } from '../fixtures/openai-client.ts'
import { createGate, pausing, until } from '../fixtures/until.ts'

const test = serverSuite('responses')

type Event = OpenAI.Responses.ResponseStreamEvent
const ask = { model: 'svc', input: 'What is 6 times 7?' }
const weather = { type: 'function' as const, name: 'get_weather', parameters: city, strict: false }
const report = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
}

async function readAll(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of stream) events.push(event)
  return events
}

const callsOf = ({ output }: OpenAI.Responses.Response) => output.filter((item) => item.type === 'function_call')

const resultsOf = (response: OpenAI.Responses.Response) =>
  callsOf(response).map(({ call_id, arguments: args }) => ({
    type: 'function_call_output' as const,
    call_id,
    output: `sunny in ${JSON.parse(args).city}`,
  }))

test('a question gets an answer, which can be asked for again, and removed', async () => {
  const { client, runtime } = await openForOpenAi()
  const answer = await client.responses.create({
    ...ask,
    instructions: 'Be short.',
    metadata: { a: 'b' },
    max_output_tokens: 99,
    reasoning: { effort: 'high' },
  })
  assert.is(answer.output_text, 'The answer is 42.')
  assert.is(answer.status, 'completed')
  assert.equal(answer.metadata, { a: 'b' })
  assert.is(answer.usage?.total_tokens, Number(answer.usage?.input_tokens) + Number(answer.usage?.output_tokens))
  const [run] = (await runtime.runs.list()).data
  assert.is(answer.id, run?.id.replace('run_', 'resp_'))
  assert.equal(await client.responses.retrieve(answer.id), answer)
  await client.responses.delete(answer.id)
  assert.is((await failureOf(client.responses.retrieve(answer.id))).status, 404)
})

test('a response that is not to be stored is not found, nor gone on from', async () => {
  const { client } = await openForOpenAi()
  const { id } = await client.responses.create({ ...ask, store: false })
  assert.is((await failureOf(client.responses.retrieve(id))).status, 404)
  const after = await failureOf(client.responses.create({ ...ask, previous_response_id: id }))
  assert.equal([after.status, after.param], [404, 'previous_response_id'])
  const background = await failureOf(client.responses.create({ ...ask, store: false, background: true }))
  assert.equal([background.status, background.param], [400, 'background'])
})

test('a conversation goes on from the last response, and branches from an earlier one', async () => {
  const world = await openForOpenAi({ script: (_request, index) => `Answer ${index}.` })
  const { client, runtime } = world
  const say = (input: string, previous_response_id?: string) =>
    client.responses.create({ model: 'svc', input, ...(previous_response_id && { previous_response_id }) })
  const first = await client.responses.create({
    model: 'svc',
    input: [
      { role: 'developer', content: 'Always rhyme.' },
      { role: 'user', content: 'Zero' },
      { role: 'assistant', content: 'Nothing.' },
      { role: 'user', content: 'One' },
    ],
  })
  const second = await say('Two', first.id)
  const third = await say('Three', second.id)
  assert.equal(
    sentLast(world).map((message) => (message as { text: string }).text.split('\n').at(-1)),
    ['Zero', 'Nothing.', 'One', 'Answer 0.', 'Two', 'Answer 1.', 'Three'],
  )
  assert.match(JSON.stringify(world.provider.requests.at(-1)?.messages[0]), 'Always rhyme.')
  const [left, right] = await Promise.all([say('Left', second.id), say('Right', third.id), say('Other', third.id)])
  assert.is(left.status, 'completed')
  assert.is(right.previous_response_id, third.id)
  const tasks = world.provider.requests.slice(-3).map((request) => JSON.stringify(request.messages))
  const sent = (task: string): string => tasks.find((text) => text.includes(`${task}"`)) ?? ''
  assert.not.match(sent('Left'), 'Three')
  assert.match(sent('Right'), 'Three')
  assert.not.match(sent('Right'), 'Other')
  assert.not.match(sent('Other'), 'Right')
  assert.is((await client.responses.retrieve(third.id)).previous_response_id, second.id)
  assert.is((await runtime.threads.list()).data.length, 3)
})

test('functions of the client are called, and their results go on with the same run', async () => {
  const { client, runtime } = await openForOpenAi({ script: weatherScript })
  const first = await client.responses.create({ model: 'svc', input: 'How is the weather?', tools: [weather] })
  assert.is(first.status, 'completed')
  assert.equal(
    callsOf(first).map(({ name, arguments: args }) => [name, args]),
    [
      ['get_weather', '{"city":"Bonn"}'],
      ['get_weather', '{"city":"Rome"}'],
    ],
  )
  const without = await failureOf(client.responses.create({ ...ask, previous_response_id: first.id }))
  assert.equal([without.status, without.param], [400, 'input'])
  assert.match(without.message, /function_call_output of call_/)
  const done = await client.responses.create({ model: 'svc', previous_response_id: first.id, input: resultsOf(first) })
  assert.is(done.output_text, 'It is sunny in Bonn and sunny in Rome.')
  assert.is.not(done.id, first.id)
  assert.is((await runtime.runs.list()).data.length, 1)
  assert.equal((await client.responses.retrieve(done.id)).output, done.output)
  assert.equal((await client.responses.retrieve(first.id)).output, first.output)
  const used = Number(first.usage?.total_tokens) + Number(done.usage?.total_tokens)
  const [run] = (await runtime.runs.list()).data
  assert.is(used, Number(run?.usage.inputTokens) + Number(run?.usage.outputTokens))
})

test('a client that keeps the conversation itself sends it whole, or by reference', async () => {
  const world = await openForOpenAi({ script: weatherScript })
  const { client } = world
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'How is the weather?' }]
  const first = await client.responses.create({ model: 'svc', input, tools: [weather], store: false })
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]), ...resultsOf(first))
  const done = await client.responses.create({ model: 'svc', input, tools: [weather], store: false })
  assert.is(done.output_text, 'It is sunny in Bonn and sunny in Rome.')
  const said = await client.responses.create(ask)
  await client.responses.create({
    model: 'svc',
    input: [
      { role: 'user', content: ask.input },
      { type: 'item_reference', id: said.output[0]?.id ?? '' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'user', content: 'Why?' },
    ],
  })
  assert.equal(
    sentLast(world).map((message) => (message as { text: string }).text.split('\n').at(-1)),
    [ask.input, 'The answer is 42.', 'Why?'],
  )
  const unknown = await failureOf(
    client.responses.create({ model: 'svc', input: [{ type: 'item_reference', id: 'x' }] }),
  )
  assert.is(unknown.param, 'input[0].id')
})

test('results and a new message together end the run that waits, and both are heard', async () => {
  const world = await openForOpenAi({ script: weatherScript })
  const first = await world.client.responses.create({ model: 'svc', input: 'How is the weather?', tools: [weather] })
  const next = await world.client.responses.create({
    model: 'svc',
    previous_response_id: first.id,
    input: [...resultsOf(first), { role: 'user', content: 'Which one is warmer?' }],
  })
  assert.is(next.output_text, 'The answer is 42.')
  assert.match(JSON.stringify(sentLast(world)), /get_weather with .{0,40}Rome.{0,20}: sunny in Rome/)
  assert.match(JSON.stringify(sentLast(world)), 'Which one is warmer?')
})

test('a stream has its events in order, numbered without a gap', async () => {
  const { client } = await openForOpenAi({ script: weatherScript })
  const events = await readAll(await client.responses.create({ ...ask, stream: true }))
  assert.equal(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  )
  const types = events.map(({ type }) => type.replace('response.', ''))
  assert.equal(
    types.filter((type, index) => type !== types[index - 1]),
    [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ],
  )
  const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : []))
  assert.ok(deltas.length > 2)
  assert.is(deltas.join(''), 'The answer is 42.')
  const calling = client.responses.stream({ model: 'svc', input: 'How is the weather?', tools: [weather] })
  const called = await readAll(calling)
  assert.equal(
    called.map(({ sequence_number }) => sequence_number),
    called.map((_, index) => index),
  )
  const done = called.filter((event) => event.type === 'response.function_call_arguments.done')
  assert.equal(
    done.map((event) => event.arguments),
    ['{"city":"Bonn"}', '{"city":"Rome"}'],
  )
  const completed = called.at(-1)
  assert.is(completed?.type, 'response.completed')
  const { id, output } = (completed as OpenAI.Responses.ResponseCompletedEvent).response
  assert.is((await calling.finalResponse()).id, id)
  assert.is(JSON.stringify((await client.responses.retrieve(id)).output), JSON.stringify(output))
})

test('one answer may be longer than what a slow reader may leave unread', async () => {
  const text = 'word '.repeat(40_000)
  const { client } = await openForOpenAi({
    script: () => JSON.stringify({ text }),
    server: { limits: { sseBufferBytes: 10_000 } },
  })
  const events = await readAll(
    await client.responses.create({ ...ask, text: { format: { type: 'json_object' } }, stream: true }),
  )
  const last = events.at(-1)
  assert.is(last?.type, 'response.completed')
  assert.is(JSON.stringify(last).includes(text), true)
})

test('metadata of a client makes no response of a run', async () => {
  const { client, ask: send } = await openForOpenAi()
  const metadata = { 'openai.response': { system: 5 } }
  const { json } = await send('POST', '/v1/runs?wait=60000', { body: { task: ask.input, metadata } })
  const id = String(json.id).replace('run_', 'resp_')
  assert.is((await failureOf(client.responses.retrieve(id))).status, 404)
  const hidden = await client.responses.create({ ...ask, store: false, metadata: { 'openai.response': 'x', a: 'b' } })
  assert.is((await failureOf(client.responses.retrieve(hidden.id))).status, 404)
})

test('a draft that is replaced is a message of its own, and no part of the response', async () => {
  const drafts = createDrafts()
  const { client } = await openForOpenAi({ plugins: [drafts.plugin], config: { model: 'drafts/drafts' } })
  drafts.play([{ pieces: ['It ', 'is wrong.'], next: 'better' }, { pieces: ['This ', 'is right.'] }])
  const events = await readAll(await client.responses.create({ ...ask, stream: true }))
  const texts = events.flatMap((event) => (event.type === 'response.output_text.done' ? event.text : []))
  assert.equal(texts, ['It is wrong.', 'This is right.'])
  const last = events.at(-1)
  assert.is(last?.type, 'response.completed')
  assert.match(JSON.stringify(last), 'This is right.')
  assert.not.match(JSON.stringify(last), 'wrong')
})

test('a response in the background is asked for until it is there, and can be ended', async () => {
  const { answer, isAsked, script } = pausing()
  const { client } = await openForOpenAi({ script })
  const begun = await client.responses.create({ ...ask, background: true })
  assert.ok(begun.status === 'queued' || begun.status === 'in_progress')
  assert.equal(begun.output, [])
  await isAsked
  assert.is((await client.responses.retrieve(begun.id)).status, 'in_progress')
  const early = await failureOf(client.responses.create({ ...ask, previous_response_id: begun.id }))
  assert.is(early.code, 'run_not_finished')
  answer()
  await until(async () => (await client.responses.retrieve(begun.id)).status === 'completed')
  const done = await client.responses.retrieve(begun.id)
  assert.is(done.background, true)
  assert.is(done.output[0]?.type === 'message' && JSON.stringify(done.output[0].content).includes('42'), true)

  const never = pausing()
  const other = await openForOpenAi({ script: never.script })
  const endless = await other.client.responses.create({ ...ask, background: true })
  await never.isAsked
  assert.is((await other.client.responses.cancel(endless.id)).status, 'cancelled')
  assert.is((await other.client.responses.retrieve(endless.id)).status, 'cancelled')
})

test('an answer of a given shape is JSON of it, and a forced function its arguments', async () => {
  const { client } = await openForOpenAi({ script: () => '{"sum":42}' })
  const format = { type: 'json_schema' as const, name: 'report', schema: report }
  const parsed = await client.responses.parse({ ...ask, text: { format } })
  assert.is(parsed.output_text, '{"sum":42}')
  const streamed = await client.responses.stream({ ...ask, text: { format } }).finalResponse()
  assert.is(streamed.output_text, '{"sum":42}')
  const tools = [{ type: 'function' as const, name: 'report', parameters: report, strict: true }]
  const forced = await client.responses.create({ ...ask, tools, tool_choice: { type: 'function', name: 'report' } })
  assert.equal(
    callsOf(forced).map(({ arguments: args }) => args),
    ['{"sum":42}'],
  )
  assert.equal((await client.responses.retrieve(forced.id)).output, forced.output)
  const output = resultsOf(forced)
  const next = await client.responses.create({ ...ask, previous_response_id: forced.id, input: output, tools })
  assert.is(next.output_text, '{"sum":42}')
})

test('a run that fails is an error, in a stream its last event, and stored as failed', async () => {
  const error = new ProviderError('provider_auth', 'the key of the provider is wrong', { provider: 'scripted' })
  const { client } = await openForOpenAi({ script: () => ({ error }) })
  const thrown = await failureOf(client.responses.create(ask))
  assert.equal([thrown.status, thrown.code], [502, 'provider_auth'])
  const events = await readAll(await client.responses.create({ ...ask, stream: true }))
  const last = events.at(-1)
  assert.is(last?.type, 'response.failed')
  const { id, error: why } = (last as OpenAI.Responses.ResponseFailedEvent).response
  assert.match(why?.message ?? '', 'the key of the provider is wrong')
  const stored = await client.responses.retrieve(id)
  assert.equal([stored.status, stored.error?.message], ['failed', why?.message])
})

test('an answer that is cut is incomplete', async () => {
  const { client } = await openForOpenAi({ script: () => ({ text: 'This is a', finishReason: 'length' }) })
  const answer = await client.responses.create({ ...ask, max_output_tokens: 16 })
  assert.is(answer.status, 'incomplete')
  assert.equal(answer.incomplete_details, { reason: 'max_output_tokens' })
  assert.is(answer.output_text, 'This is a')
  assert.is((await client.responses.retrieve(answer.id)).status, 'incomplete')
})

test('a client that leaves ends what only it waited for, but nothing in the background', async () => {
  for (const background of [false, true]) {
    const isAsked = createGate()
    const go = createGate()
    const world = await openForOpenAi({
      script: async () => {
        isAsked.open()
        await go.passed
        return 'The answer is 42.'
      },
    })
    const leaving = new AbortController()
    const asking = world.client.responses
      .create({ ...ask, stream: true, background }, { signal: leaving.signal })
      .then(readAll)
    asking.catch(() => {})
    await isAsked.passed
    leaving.abort()
    await asking.catch(() => {})
    if (!background) await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'cancelled')
    go.open()
    if (background) await until(async () => (await world.runtime.runs.list()).data[0]?.status === 'completed')
    await world.close()
  }
})

test('what cannot be done is refused with the name of the field', async () => {
  const { client, provider } = await openForOpenAi()
  const wrongs: [object, string][] = [
    [{ input: undefined }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: [{ role: 'king', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ type: 'computer_call' }] }, 'input[0].type'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/b' }] }] },
      'input[0].content[0].image_url',
    ],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, 'input[0].content[0].file_id'],
    [{ input: [{ type: 'mcp_approval_response', approval_request_id: 'x' }] }, 'input[0].approve'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'mcp', server_label: 'other', server_url: 'https://a.example' }] }, 'tools[0].server_label'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
  ]
  for (const [fields, param] of wrongs) {
    const thrown = await failureOf(client.responses.create({ ...ask, ...fields }))
    assert.equal([thrown.status, thrown.param], [400, param], JSON.stringify(fields))
  }
  assert.is((await failureOf(client.responses.retrieve('resp_1'))).status, 404)
  assert.is((await failureOf(client.responses.create({ ...ask, model: 'gpt-9' }))).code, 'model_not_found')
  assert.is(provider.requests.length, 0)
})

test.run()
