/** What of a request to a server of the messages format may be cached, and what a cache does to usage and cost. */
import type { ServerResponse } from 'node:http'
import { definePlugin, type Message, type RunEvent, textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { createProvider } from '../src/providers/index.ts'
import { ask, toRequest } from './fixtures/ask.ts'
import {
  type FakeServer,
  messagesEvents,
  type SeenRequest,
  sendEvents,
  sendJson,
  startFakeServer,
} from './fixtures/fake-server.ts'

const test = suite('caching of prompts')

let server: FakeServer
test.before.each(async () => {
  server = await startFakeServer()
})
test.after.each(() => server.close())

type Block = Record<string, unknown>
interface Body {
  system?: Block[] | string
  tools?: Block[]
  messages: { role: string; content: Block[] }[]
  stream: boolean
}

const MARK = { type: 'ephemeral' }
const USAGE = { input_tokens: 10, cache_read_input_tokens: 600, cache_creation_input_tokens: 400, output_tokens: 20 }

/** Answers in the way that is asked for. */
function answer(response: ServerResponse, { body }: SeenRequest, content: Block[]): void {
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  if (body.stream !== true) {
    sendJson(response, { id: 'm', type: 'message', role: 'assistant', content, stop_reason, usage: USAGE })
    return
  }
  const blocks = content.flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ])
  const events = messagesEvents(
    { type: 'message_start', message: { id: 'm', usage: USAGE } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  )
  void sendEvents(response, events)
}

/** Where the marks are, as paths. */
function marksOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === 'cache_control' ? [path] : marksOf(part, `${path}/${name}`),
  )
}

const withoutMarks = (value: unknown): string =>
  JSON.stringify(value, (name, part) => (name === 'cache_control' ? undefined : part))

const bodies = (): Body[] => server.seen.map(({ body }) => body as unknown as Body)

for (const stream of [false, true]) {
  const how = stream ? 'streamed' : 'whole'
  test(`each call of a tool loop, ${how}, sends all of the call before unchanged, marked after tools, system and newest message`, async () => {
    const turns = 4
    server.answer((response, request) => {
      const turn = server.seen.length
      const calls = [1, 2].map((n) => ({ type: 'tool_use', id: `c${turn}${n}`, name: 'look', input: { n } }))
      answer(
        response,
        request,
        turn < turns ? [{ type: 'text', text: `turn ${turn}` }, ...calls] : [{ type: 'text', text: 'done' }],
      )
    })
    const parts = definePlugin('parts', ({ tools }) =>
      tools.add('look', {
        id: 'look',
        description: 'Looks.',
        risk: 'read',
        parameters: { type: 'object', properties: { n: { type: 'number' } } },
        run: async ({ n }: { n: number }) => `seen ${n} at ${performance.now()}`,
      }),
    )()
    const price = { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 4 }
    const runtime = await createRuntime(
      {
        model: 'mine/m',
        providers: {
          mine: {
            type: 'anthropic',
            baseUrl: `${server.url}/v1`,

            models: { m: { context: 200_000, price } },
          },
        },
        components: { reflect: false, consensus: false },
      },
      { env: {}, plugins: [parts] },
    )
    try {
      const { id } = await runtime.runs.create({ task: 'Look twice.' }, { deltas: stream })
      const run = await runtime.runs.wait(id)
      assert.is(run.status, 'completed', JSON.stringify(run.error))
      const sent = bodies()
      assert.is(sent.length, turns)
      for (const [index, body] of sent.entries()) {
        assert.is(body.stream, stream)
        const [last, tools] = [body.messages.length - 1, (body.tools?.length ?? 0) - 1]
        const block = (body.messages[last]?.content.length ?? 0) - 1
        assert.equal(marksOf(body).sort(), [`/messages/${last}/content/${block}`, '/system/0', `/tools/${tools}`])
        const before = sent[index - 1]
        if (before === undefined) continue
        const prefix = body.messages.slice(0, before.messages.length)
        assert.is(
          withoutMarks([body.tools, body.system, prefix]),
          withoutMarks([before.tools, before.system, before.messages]),
        )
      }
      assert.is(run.usage.cachedTokens, turns * 600)
      assert.is(run.usage.cacheWriteTokens, turns * 400)
      assert.is(run.costUsd, (turns * (10 * 2 + 600 * 0.5 + 400 * 4 + 20 * 10)) / 1e6)
    } finally {
      await runtime.close()
    }
  })
}

test('blocks that take no mark are passed over, and without tools and system text only the message has one', async () => {
  server.answer((response, request) => answer(response, request, [{ type: 'text', text: 'ok' }]))
  const provider = createProvider(
    'mine',
    { type: 'anthropic', baseUrl: `${server.url}/v1`, defaultModel: 'm' },
    { env: {} },
  )
  const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
  const content = [{ type: 'text', text: 'so far' }, thinking]
  const messages: Message[] = [
    textMessage('user', 'go on'),
    { role: 'assistant', content: [{ type: 'text', text: 'so far' }], state: { provider: 'mine', content } },
  ]
  await ask(provider, toRequest({ messages }))
  const [body] = bodies()
  assert.equal(marksOf(body), ['/messages/1/content/0'])
  assert.equal(body?.messages[1]?.content, [{ type: 'text', text: 'so far', cache_control: MARK }, thinking])
  assert.equal(content, [{ type: 'text', text: 'so far' }, thinking], 'what is kept of an answer is left as it is')
})

test('a server that refuses marks is asked without them, at once and from then on', async () => {
  server.answer((response, request) => {
    if (marksOf(request.body).length === 0) return answer(response, request, [{ type: 'text', text: 'done' }])
    const message = 'messages.0.content.0.text.cache_control: Extra inputs are not permitted'
    return sendJson(response, { type: 'error', error: { type: 'invalid_request_error', message } }, 400)
  })
  const runtime = await createRuntime(
    {
      model: 'mine/m',
      providers: {
        mine: { type: 'anthropic', baseUrl: `${server.url}/v1`, models: { m: { context: 200_000 } } },
      },
      components: { reflect: false, consensus: false },
    },
    { env: {} },
  )
  try {
    const adapted: RunEvent[] = []
    runtime.onEvent((event) => {
      if (event.type === 'model.adapted') adapted.push(event)
    })
    for (const task of ['Say something.', 'Say something else.']) {
      const { id } = await runtime.runs.create({ task })
      assert.is((await runtime.runs.wait(id)).status, 'completed')
    }
    assert.equal(
      bodies().map((body) => marksOf(body).length > 0),
      [true, false, false],
    )
    assert.is(typeof bodies()[1]?.system, 'string')
    assert.is(adapted.length, 1)
    assert.match(JSON.stringify(adapted[0]?.data), /stripParams.*cache_control/)
  } finally {
    await runtime.close()
  }
})

test.run()
