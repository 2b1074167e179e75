/** Tools of the client, and answers of a given shape, in chat completions. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type OpenAI from 'openai'
import * as assert from 'uvu/assert'
import { serverSuite } from '../fixtures/open-server.ts'
import { city, failureOf, type heard, openForOpenAi, sentLast, weatherScript } from '../fixtures/openai-client.ts'

const test = serverSuite('tools of clients of OpenAI')

const task = 'How is the weather in Bonn and Rome?'
const weather = { type: 'function' as const, function: { name: 'get_weather', parameters: city } }
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: task }]
const ask = { model: 'svc', messages, tools: [weather] }
const report = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
}

/** The message of an answer, with what its calls have come to. */
function withResults({ choices }: OpenAI.ChatCompletion): OpenAI.ChatCompletionMessageParam[] {
  const message = choices[0]?.message
  if (message === undefined) return []
  const results = (message.tool_calls ?? []).map(({ id, ...call }) => {
    const { city: name } = JSON.parse('function' in call ? call.function.arguments : '{}')
    return { role: 'tool' as const, tool_call_id: id, content: `sunny in ${name}` }
  })
  return [message, ...results]
}

test('the client’s loop of tools goes on with the run that called them', async () => {
  const world = await openForOpenAi({ script: weatherScript })
  const runner = world.client.chat.completions.runTools({
    model: 'svc',
    messages: [{ role: 'user', content: task }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'The weather of a city.',
          parameters: city,
          parse: JSON.parse,
          function: (args: { city: string }) => `sunny in ${args.city}`,
        },
      },
    ],
  })
  assert.is(await runner.finalContent(), 'It is sunny in Bonn and sunny in Rome.')
  assert.is((await world.runtime.runs.list()).data.length, 1)
})

test('calls end an answer, whole or in pieces, and count what each request used', async () => {
  const { client, runtime } = await openForOpenAi({ script: weatherScript })
  const whole = await client.chat.completions.create(ask)
  assert.is(whole.choices[0]?.finish_reason, 'tool_calls')
  assert.is(whole.choices[0]?.message.content, 'I look.')
  const names = (whole.choices[0]?.message.tool_calls ?? []).map((call) => 'function' in call && call.function)
  assert.equal(names, [
    { name: 'get_weather', arguments: '{"city":"Bonn"}' },
    { name: 'get_weather', arguments: '{"city":"Rome"}' },
  ])
  const streamed = await client.chat.completions.stream(ask).finalChatCompletion()
  assert.is(streamed.choices[0]?.finish_reason, 'tool_calls')
  assert.is(streamed.choices[0]?.message.tool_calls?.length, 2)
  const last = await client.chat.completions.create({ ...ask, messages: [...ask.messages, ...withResults(whole)] })
  assert.is(last.choices[0]?.message.content, 'It is sunny in Bonn and sunny in Rome.')
  assert.is(last.choices[0]?.finish_reason, 'stop')
  assert.is.not(last.id, whole.id)
  const [, first] = (await runtime.runs.list()).data
  const used = (answer: OpenAI.ChatCompletion): number => answer.usage?.total_tokens ?? 0
  const { inputTokens = 0, outputTokens = 0 } = first?.usage ?? {}
  assert.is(used(whole) + used(last), inputTokens + outputTokens)
})

test('results that are sent again under their key are answered by the same run, once', async () => {
  const { client, runtime, provider } = await openForOpenAi({ script: weatherScript })
  const first = await client.chat.completions.create(ask)
  const again = { ...ask, messages: [...messages, ...withResults(first)] }
  const options = { headers: { 'Idempotency-Key': 'k-1' } }
  const done = await client.chat.completions.create(again, options)
  const calls = provider.requests.length
  const replayed = await client.chat.completions.create(again, options)
  assert.equal([replayed.id, replayed.choices], [done.id, done.choices])
  assert.equal([(await runtime.runs.list()).data.length, provider.requests.length], [1, calls])
})

test('where no run waits for the results any more, a new one is sent what was called', async () => {
  const world = await openForOpenAi({ script: weatherScript })
  const first = await world.client.chat.completions.create(ask)
  const [run] = (await world.runtime.runs.list()).data
  await world.runtime.runs.cancel(String(run?.id))
  await world.runtime.runs.wait(String(run?.id))
  await world.client.chat.completions.create({
    model: 'svc',
    messages: [...ask.messages, ...withResults(first)],
  })
  assert.match(JSON.stringify(sentLast(world)), /get_weather with .{0,40}Bonn.{0,20}: sunny in Bonn/)
  assert.match(JSON.stringify(sentLast(world)), task)
  // And where the conversation has gone on, they are turns of it.
  await world.client.chat.completions.create({
    ...ask,
    messages: [
      ...ask.messages,
      ...withResults(first),
      { role: 'assistant', content: 'Fine.' },
      { role: 'user', content: 'Why?' },
    ],
  })
  assert.equal((sentLast(world)[1] as { calls: unknown }).calls, [
    ['client.get_weather', { city: 'Bonn' }],
    ['client.get_weather', { city: 'Rome' }],
  ])
})

test('a conversation that goes on without the results ends the run that waits for them', async () => {
  const { client, runtime } = await openForOpenAi({ script: weatherScript })
  const first = await client.chat.completions.create(ask)
  const [waiting] = (await runtime.runs.list()).data
  assert.is(waiting?.status, 'waiting')
  await client.chat.completions.create({
    ...ask,
    messages: [...ask.messages, ...withResults(first), { role: 'user', content: 'Never mind.' }],
  })
  assert.is((await runtime.runs.wait(String(waiting?.id))).status, 'cancelled')
})

test('a function that has to be called is called with arguments that fit', async () => {
  const script = () => '{"sum":42}'
  const { client, runtime } = await openForOpenAi({ script })
  const tool = {
    type: 'function' as const,
    function: { name: 'report', description: 'Reports a sum.', parameters: report },
  }
  for (const choice of [{ type: 'function' as const, function: { name: 'report' } }, 'required' as const]) {
    const answer = await client.chat.completions.create({ ...ask, tools: [tool], tool_choice: choice })
    const [call] = answer.choices[0]?.message.tool_calls ?? []
    assert.is(answer.choices[0]?.finish_reason, 'tool_calls')
    assert.equal(call && 'function' in call && call.function, { name: 'report', arguments: '{"sum":42}' })
    const messages = [...ask.messages, ...withResults(answer)]
    const next = await client.chat.completions.create({ ...ask, messages, tools: [tool] })
    assert.is(next.choices[0]?.message.content, '{"sum":42}')
  }
  const streamed = client.chat.completions.stream({ ...ask, tools: [tool], tool_choice: 'required' })
  assert.is((await streamed.finalChatCompletion()).choices[0]?.message.tool_calls?.length, 1)
  assert.is((await runtime.runs.list()).data.length, 5)
})

test('tools are not offered where none is to be called', async () => {
  const world = await openForOpenAi({ script: weatherScript })
  await world.client.chat.completions.create({ ...ask, tool_choice: 'none' })
  assert.not.ok(world.provider.requests.at(-1)?.tools?.some(({ id }) => id.startsWith('client.')))
})

test('an answer of a given shape is JSON of it, in one piece, and what does not fit is an error', async () => {
  let says = '{"sum":42}'
  const { client } = await openForOpenAi({ script: () => says })
  const format = {
    response_format: { type: 'json_schema' as const, json_schema: { name: 'report', schema: report, strict: true } },
  }
  const parsed = await client.chat.completions.parse({ ...ask, tools: [], ...format })
  assert.is(parsed.choices[0]?.message.content, '{"sum":42}')
  const streamed = client.chat.completions.stream({ model: 'svc', messages: ask.messages, ...format })
  assert.is(await streamed.finalContent(), '{"sum":42}')
  const loose = await client.chat.completions.create({ ...ask, response_format: { type: 'json_object' } })
  assert.equal(JSON.parse(loose.choices[0]?.message.content ?? ''), { sum: 42 })
  says = 'no JSON at all'
  const thrown = await failureOf(client.chat.completions.create({ ...ask, ...format }))
  assert.equal([thrown.status, thrown.code], [502, 'output_schema_mismatch'])
  assert.is(thrown.headers?.get('x-should-retry'), 'false')
})

test('the AI SDK streams, calls its tools and reads objects over the same route', async () => {
  const script = (request: Parameters<typeof heard>[0], index: number) =>
    request.outputSchema === undefined ? weatherScript(request, index) : '{"sum":42}'
  const world = await openForOpenAi({ script })
  const provider = createOpenAICompatible({
    name: 'svc',
    baseURL: `${world.url}/v1`,
    apiKey: world.server.localKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
  const model = provider('svc')
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: task }] }]
  const tool = { type: 'function' as const, name: 'get_weather', inputSchema: city as never }
  const { stream } = await model.doStream({ prompt, tools: [tool] })
  const parts: { type: string }[] = []
  for await (const part of stream as unknown as AsyncIterable<{ type: string }>) parts.push(part)
  const calls = parts.filter(({ type }) => type === 'tool-call') as unknown as { toolCallId: string; input: string }[]
  assert.equal(
    calls.map(({ input }) => input),
    ['{"city":"Bonn"}', '{"city":"Rome"}'],
  )
  const finish = parts.at(-1) as unknown as { type: string; usage: { inputTokens: { total: number } } }
  assert.is(finish.type, 'finish')
  assert.ok(finish.usage.inputTokens.total > 0)
  const done = await model.doGenerate({
    prompt: [
      ...prompt,
      {
        role: 'assistant',
        content: calls.map(({ toolCallId, input }) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'get_weather',
          input: JSON.parse(input),
        })),
      },
      {
        role: 'tool',
        content: calls.map(({ toolCallId }) => ({
          type: 'tool-result',
          toolCallId,
          toolName: 'get_weather',
          output: { type: 'text', value: 'foggy' },
        })),
      },
    ],
    tools: [tool],
  })
  assert.match(JSON.stringify(done.content), 'It is foggy and foggy.')
  const object = await model.doGenerate({ prompt, responseFormat: { type: 'json', schema: report as never } })
  assert.match(JSON.stringify(object.content), '{\\"sum\\":42}')
})

test.run()
