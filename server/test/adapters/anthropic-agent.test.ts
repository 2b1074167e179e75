/** What coding agents and long conversations send, through the official client. */
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { toText } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('agents that speak as Anthropic')

async function open(script: Script, options: OpenOptions = {}): Promise<{ world: OpenServer; client: Anthropic }> {
  const world = await openServer({ script, ...options })
  return { world, client: new Anthropic({ baseURL: world.url, authToken: world.server.localKey, maxRetries: 0 }) }
}

const cached = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } }

/** Tools as a coding agent has them: many, with long descriptions. */
const TOOLS: Anthropic.Beta.BetaTool[] = ['Bash', 'Read', 'Edit', 'mcp__github__search_issues'].map((name, index) => ({
  name,
  description: `Does what ${name} does. ${'It has many rules. '.repeat(400)}`,
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      command: { type: 'string', description: 'what to do' },
      timeout: { type: 'number', exclusiveMinimum: 0, maximum: 9_007_199_254_740_991 },
      todos: { type: 'array', items: { $ref: '#/$defs/todo' } },
    },
    $defs: { todo: { type: 'object', properties: { content: { type: 'string', minLength: 1 } } } },
    required: ['command'],
    additionalProperties: false,
  },
  eager_input_streaming: true,
  ...(index === 3 && cached),
}))

const PARAMS = {
  model: 'svc',
  max_tokens: 16_000,
  ...({ temperature: 1 } as object),
  system: [
    { type: 'text' as const, text: 'x-anthropic-billing-header: cc_version=2.1.0' },
    { type: 'text' as const, text: 'You are a coding agent.', ...cached },
    { type: 'text' as const, text: 'Use the tools. '.repeat(200), ...cached },
  ],
  tools: TOOLS,
  metadata: { user_id: JSON.stringify({ device_id: 'x'.repeat(64), session_id: 'y' }) },
  thinking: { type: 'enabled' as const, budget_tokens: 31_999 },
  context_management: { edits: [{ type: 'clear_thinking_20251015' as const, keep: 'all' as const }] },
  output_config: { effort: 'high' as const },
  betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'context-management-2025-06-27'],
} satisfies Partial<Anthropic.Beta.Messages.MessageCreateParamsNonStreaming>

const reminder = { type: 'text' as const, text: '<system-reminder>\nThe list of to-dos is empty.\n</system-reminder>' }

test('a coding agent works through its tools in one run, with reminders beside each result', async () => {
  const steps = ['ls', 'cat a.txt', 'npm test']
  const { world, client } = await open(({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length
    const command = steps[done]
    return command === undefined ? 'All tests pass.' : { toolCalls: [{ tool: 'client.Bash', args: { command } }] }
  })
  const messages: Anthropic.Beta.BetaMessageParam[] = [
    { role: 'user', content: [reminder, { type: 'text', text: 'Run the tests.', ...cached }] },
  ]
  const commands: unknown[] = []
  const runs = new Set<string>()
  for (;;) {
    const message = await client.beta.messages.stream({ ...PARAMS, messages }).finalMessage()
    runs.add((message as unknown as { svc: { run_id: string } }).svc.run_id)
    messages.push({ role: 'assistant', content: message.content })
    if (message.stop_reason !== 'tool_use') break
    const calls = message.content.filter((block) => block.type === 'tool_use')
    commands.push(...calls.map(({ input }) => (input as { command: string }).command))
    messages.push({
      role: 'user',
      content: [
        ...calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'ok', is_error: false })),
        { ...reminder, ...cached },
      ],
    })
  }
  assert.equal(commands, steps)
  assert.is(runs.size, 1)
  const [request] = world.provider.requests
  assert.is(request?.effort, 'high')
  assert.match(toText(request?.messages[0]?.content ?? []), /You are a coding agent\./)
  const { data } = await world.runtime.runs.list()
  assert.is(data[0]?.status, 'completed')
})

test('a call that a client makes while the server starts again is answered after it', async () => {
  const script: Script = ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Done.'
      : { toolCalls: [{ tool: 'client.Bash', args: { command: 'x' } }] }
  const config = { store: { url: `sqlite:${join(makeFolder(), 'svc.db')}` } }
  const params = { ...PARAMS, messages: [{ role: 'user' as const, content: 'Do it.' }] }
  const before = await open(script, { config })
  const asked = await before.client.beta.messages.create(params)
  await before.world.close()
  const { client } = await open(script, { config })
  const [call] = asked.content.filter((block) => block.type === 'tool_use')
  const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: 'ok' }
  const answer = await client.beta.messages.create({
    ...params,
    messages: [...params.messages, { role: 'assistant', content: asked.content }, { role: 'user', content: [result] }],
  })
  assert.equal(
    answer.content.map((block) => block.type === 'text' && block.text),
    ['Done.'],
  )
  assert.is(answer.id.slice(0, 30), asked.id)
})

test('a conversation of 200 turns is answered from what was said in it', async () => {
  const { world, client } = await open(() => 'You said so.')
  const messages = Array.from({ length: 400 }, (_, index): Anthropic.MessageParam => {
    const content = `Turn ${index}: ${'words of it '.repeat(3)}`
    return { role: index % 2 === 0 ? 'user' : 'assistant', content }
  })
  const message = await client.messages.create({
    ...PARAMS,
    tools: [],
    messages: [...messages, { role: 'user', content: 'What did I say first?' }],
  })
  assert.is(message.stop_reason, 'end_turn')
  const said = world.provider.requests[0]?.messages ?? []
  assert.match(toText(said[1]?.content ?? []), /^Turn 0:/)
  assert.is(said.length, 402)
})

/** A PNG of so many bytes: what stands behind its head is never looked at. */
function image(bytes: number, seed: number): Anthropic.ImageBlockParam {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000003000806000000', 'hex')
  const data = Buffer.concat([head, Buffer.alloc(bytes - head.length, seed)]).toString('base64')
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
}

test('20 MB of images arrive, as do those that a tool answers with', async () => {
  const { world, client } = await open(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'It is a screenshot.'
      : { toolCalls: [{ tool: 'client.Read', args: { command: 'x' } }] },
  )
  const images = [1, 2, 3, 4].map((seed) => image(3_900_000, seed))
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: [...images, { type: 'text', text: 'What do these show?' }] },
  ]
  const asked = await client.messages.create({ ...PARAMS, tools: TOOLS as Anthropic.Tool[], messages })
  const sent = world.provider.requests[0]?.messages.at(-1)?.content ?? []
  assert.is(sent.filter(({ type }) => type === 'image').length, 4)
  const [call] = asked.content.filter((block) => block.type === 'tool_use')
  messages.push(
    { role: 'assistant', content: asked.content },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: [image(100_000, 5)] }],
    },
  )
  const answer = await client.messages.create({ ...PARAMS, tools: TOOLS as Anthropic.Tool[], messages })
  assert.equal(
    answer.content.map((block) => block.type === 'text' && block.text),
    ['It is a screenshot.'],
  )
  const result = world.provider.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')
  assert.equal(
    result?.content.map(({ type }) => type),
    ['image'],
  )
})

test.run()
