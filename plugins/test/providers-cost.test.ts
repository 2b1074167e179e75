/** What a call costs in promises, timers and abort listeners: counts, so that no slow machine fails them. */
import { createHook } from 'node:async_hooks'
import type { ModelProvider } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createProvider } from '../src/providers/index.ts'
import { toRequest } from './fixtures/ask.ts'
import { chatEvents, type FakeServer, messagesEvents, sendJson, startFakeServer } from './fixtures/fake-server.ts'

const test = suite('cost of a model call')

const PIECES = 300
let server: FakeServer
let providers: Record<'openai' | 'openai-responses' | 'anthropic', ModelProvider>

/** Promises and timers made, and listeners added to the signal, while some work runs. */
async function countOf(work: (signal: AbortSignal) => Promise<unknown>) {
  const counts = { promises: 0, timers: 0, listeners: 0, leftListeners: 0 }
  const { signal } = new AbortController()
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
    counts.listeners++
    counts.leftListeners++
    addEventListener.apply(signal, given)
  }
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
    counts.leftListeners--
    removeEventListener.apply(signal, given)
  }
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises++
      if (type === 'Timeout') counts.timers++
    },
  })
  hook.enable()
  await work(signal)
  hook.disable()
  return counts
}

/** Seen: 46 to 58 promises and 3 timers, those of the server in this process and of the official client among them. */
function assertFew({ promises, timers, listeners, leftListeners }: Awaited<ReturnType<typeof countOf>>): void {
  assert.ok(promises <= 65, `${promises} promises`)
  assert.ok(timers <= 5, `${timers} timers`)
  assert.equal([listeners, leftListeners], [1, 0])
}

test.before(async () => {
  server = await startFakeServer()
  const make = (type: string) =>
    createProvider(type, { type, baseUrl: `${server.url}/v1`, defaultModel: 'm' }, { env: {} })
  providers = {
    openai: make('openai'),
    'openai-responses': make('openai-responses'),
    anthropic: make('anthropic'),
  }
})
test.after(() => server.close())

const words = Array.from({ length: PIECES }, (_, index) => `word${index} `)
const whole = {
  choices: [{ message: { content: 'some words' }, finish_reason: 'stop' }],
  content: [{ type: 'text', text: 'some words' }],
  stop_reason: 'end_turn',
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'some words' }] }],
  usage: { prompt_tokens: 9, completion_tokens: 2, input_tokens: 9, output_tokens: 2 },
}
const streams = {
  openai: chatEvents(...words.map((content) => ({ choices: [{ index: 0, delta: { content } }] })), {
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  }),
  'openai-responses': messagesEvents(...words.map((delta) => ({ type: 'response.output_text.delta', delta })), {
    type: 'response.completed',
    response: { status: 'completed', output: [] },
  }),
  anthropic: messagesEvents(
    { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ),
}

for (const type of ['openai', 'openai-responses', 'anthropic'] as const) {
  test(`${type}: a whole answer takes few promises, the client's own timer and one listener`, async () => {
    server.answer((response) => sendJson(response, whole))
    const ask = (signal: AbortSignal) =>
      providers[type].complete?.(toRequest(), { signal }) ?? Promise.reject(new Error('it cannot complete'))
    await ask(new AbortController().signal)
    const counts = await countOf(ask)
    assertFew(counts)
  })

  test(`${type}: a stream of ${PIECES} pieces takes no promise a piece`, async () => {
    const ask = async (signal: AbortSignal) => {
      const pieces: string[] = []
      const onPart = (part: { type: string; text?: string }) => pieces.push(part.text ?? '')
      const answer = await providers[type].complete?.(toRequest({ stream: true }), { signal, onPart })
      assert.is(answer?.text, words.join(''))
      assert.equal(pieces, words)
    }
    server.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(streams[type])
    })
    await ask(new AbortController().signal)
    const counts = await countOf(ask)
    assertFew(counts)
  })
}

test.run()
