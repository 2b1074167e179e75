/** Conversations that svc holds for the official client: its tool runner and its message threads. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { toText } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('threads of Anthropic')

/** What was sent to `/v1/messages`. */
interface Sent {
  thread?: { type: string; previous_message_id?: string }
  messages: unknown[]
  system?: unknown
  tools?: unknown
}

async function open(
  script: Script,
  options: OpenOptions = {},
): Promise<{ world: OpenServer; client: Anthropic; sent: Sent[] }> {
  const world = await openServer({ script, ...options })
  const sent: Sent[] = []
  const client = new Anthropic({
    baseURL: world.url,
    apiKey: world.server.localKey,
    maxRetries: 0,
    fetch: (url, init) => {
      if (typeof init?.body === 'string') sent.push(JSON.parse(init.body) as Sent)
      return fetch(url, init)
    },
  })
  return { world, client, sent }
}

const asked: string[] = []
const weather = betaTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => {
    asked.push(city)
    return `${city} is sunny`
  },
})
test.before.each(() => {
  asked.length = 0
})

/** Asks for two cities, then for a third, then answers. */
const threeCities: Script = ({ messages }) => {
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? [toText(content)] : []))
  const call = (city: string) => ({ tool: 'client.get_weather', args: { city } })
  if (results.length === 0) return { text: 'I look.', toolCalls: [call('Bonn'), call('Rome')] }
  if (results.length === 2) return { toolCalls: [call('Oslo')] }
  return `${results.join(', ')}.`
}

const PARAMS = { model: 'svc', max_tokens: 1000 }
const textsOf = ({ content }: Anthropic.Beta.BetaMessage): string[] =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []))

for (const stream of [false, true])
  test(`the tool runner gets to its answer, and sends each turn alone${stream ? ', streamed' : ''}`, async () => {
    const { world, client, sent } = await open(threeCities)
    const runner = client.beta.messages.toolRunner({
      ...PARAMS,
      messages: [{ role: 'user', content: 'How is the weather in Bonn, Rome and Oslo?' }],
      system: 'You are terse.',
      tools: [weather],
      stream,
    })
    const message = await runner.runUntilDone()
    assert.equal(textsOf(message), ['Bonn is sunny, Rome is sunny, Oslo is sunny.'])
    assert.equal(asked, ['Bonn', 'Rome', 'Oslo'])
    assert.equal(
      sent.map(({ thread, messages, tools }) => [thread?.type, messages.length, tools !== undefined]),
      [
        ['create', 1, true],
        ['continue', 1, false],
        ['continue', 1, false],
      ],
    )
    assert.is((await world.runtime.runs.list()).data.length, 1)
  })

test('a thread goes on with what was said, its system prompt and its tools', async () => {
  const { world, client, sent } = await open(({ messages }) => `You said ${toText(messages.at(-1)?.content ?? [])}.`)
  const thread = client.beta.messages.thread({ ...PARAMS, system: 'You are terse.', tools: [weather] })
  await thread.send({ role: 'user', content: 'one' })
  const second = await thread.send({ role: 'user', content: 'two' })
  assert.equal(textsOf(second), ['You said two.'])
  assert.equal(
    sent.map(({ thread, messages, system }) => [thread?.type, messages.length, system]),
    [
      ['create', 1, 'You are terse.'],
      ['continue', 1, undefined],
    ],
  )
  const request = world.provider.requests.at(-1)
  assert.match(toText(request?.messages[0]?.content ?? []), /You are terse\./)
  assert.equal(
    request?.messages.slice(1).map(({ role, content }) => [role, toText(content)]),
    [
      ['user', 'one'],
      ['assistant', 'You said one.'],
      ['user', 'two'],
    ],
  )
  assert.ok(request?.tools?.some(({ id }) => id === 'client.get_weather'))
})

test('what svc does not hold any more, or never did, is sent whole again', async () => {
  const { world, client, sent } = await open(({ messages }) => `You said ${toText(messages.at(-1)?.content ?? [])}.`)
  const thread = client.beta.messages.thread(PARAMS)
  await thread.send({ role: 'user', content: 'one' })
  const [held] = (await world.runtime.threads.list()).data
  await world.runtime.threads.delete(held?.id ?? '')
  assert.equal(textsOf(await thread.send({ role: 'user', content: 'two' })), ['You said two.'])
  assert.equal(
    sent.map(({ thread, messages }) => [thread?.type, messages.length]),
    [
      ['create', 1],
      ['continue', 1],
      ['create', 3],
    ],
  )
  // A conversation that was begun with a history is not held.
  assert.equal(textsOf(await thread.send({ role: 'user', content: 'three' })), ['You said three.'])
  assert.equal(
    sent.slice(3).map(({ thread, messages }) => [thread?.type, messages.length]),
    [
      ['continue', 1],
      ['create', 5],
    ],
  )
  const said = world.provider.requests.at(-1)?.messages.slice(1) ?? []
  assert.equal(
    said.map(({ content }) => toText(content)),
    ['one', 'You said one.', 'two', 'You said two.', 'three'],
  )
})

test('two ways on from one answer do not mix', async () => {
  const { world, client, sent } = await open(({ messages }) => `You said ${toText(messages.at(-1)?.content ?? [])}.`)
  const messages = [{ role: 'user' as const, content: 'one' }]
  const first = await client.beta.messages.create({ ...PARAMS, messages, thread: { type: 'create' } })
  const goOn = (content: string) =>
    client.beta.messages.create({
      ...PARAMS,
      messages: [{ role: 'user', content }],
      thread: { type: 'continue', previous_message_id: first.id },
    })
  await goOn('two')
  const thrown = await goOn('three').catch((error) => error)
  assert.instance(thrown, Anthropic.BadRequestError)
  assert.is(thrown.error.error.details.error_code, 'thread_already_continued')
  const gone = await client.beta.messages
    .create({ ...PARAMS, messages, thread: { type: 'continue', previous_message_id: 'msg_of_others' } })
    .catch((error) => error)
  assert.instance(gone, Anthropic.NotFoundError)
  assert.is(gone.error.error.details.error_code, 'thread_not_found')
  assert.is(sent.length, 4)
  assert.is((await world.runtime.runs.list()).data.length, 2)
})

test('a thread goes on without the results of calls, and a call that is forced begins a run of its own', async () => {
  const { world, client } = await open(({ messages, tools, outputSchema }) => {
    if (outputSchema !== undefined) return '{"city":"Oslo"}'
    const said = toText(messages.at(-1)?.content ?? [])
    const call = { tool: 'client.get_weather', args: { city: 'Bonn' } }
    return said.includes('weather') && tools?.length ? { toolCalls: [call] } : `You said ${said}.`
  })
  const tools = [weather]
  const messages = [{ role: 'user' as const, content: 'How is the weather?' }]
  const params = { ...PARAMS, tools, messages }
  const asked = await client.beta.messages.create({ ...params, thread: { type: 'create' } })
  assert.is(asked.stop_reason, 'tool_use')
  const answer = await client.beta.messages.create({
    ...PARAMS,
    messages: [{ role: 'user', content: 'Never mind' }],
    thread: { type: 'continue', previous_message_id: asked.id },
  })
  assert.equal(textsOf(answer), ['You said Never mind.'])
  assert.equal(
    (await world.runtime.runs.list()).data.map(({ status }) => status),
    ['completed', 'cancelled'],
  )
  const again = await client.beta.messages.create(params)
  const [call] = again.content.filter((block) => block.type === 'tool_use')
  const forced = await client.beta.messages.create({
    ...params,
    messages: [
      ...messages,
      { role: 'assistant', content: again.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'sunny' }] },
    ],
    tool_choice: { type: 'tool', name: 'get_weather' },
  })
  assert.equal(
    forced.content.map((block) => block.type === 'tool_use' && block.input),
    [{ city: 'Oslo' }],
  )
})

test('a thread of another key is not there', async () => {
  const keys = ['a', 'b'].map((name) => ({ name, key: name.repeat(32), scopes: ['submit' as const] }))
  const { world } = await open(() => 'Yes.', { server: { keys: () => keys } })
  const of = (apiKey: string): Anthropic => new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 })
  const params = { ...PARAMS, messages: [{ role: 'user' as const, content: 'one' }] }
  const { id } = await of('a'.repeat(32)).beta.messages.create({ ...params, thread: { type: 'create' } })
  const thread = { type: 'continue' as const, previous_message_id: id }
  const thrown = await of('b'.repeat(32))
    .beta.messages.create({ ...params, thread })
    .catch((error) => error)
  assert.instance(thrown, Anthropic.NotFoundError)
  await of('a'.repeat(32)).beta.messages.create({ ...params, thread })
})

test.run()
