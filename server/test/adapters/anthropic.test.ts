/** The Messages API, through the official client. */
import Anthropic from '@anthropic-ai/sdk'
import { toText } from '@svc/core'
import type { Script } from '@svc/core/testing'
import * as assert from 'uvu/assert'
import { createDrafts } from '../fixtures/drafts.ts'
import { type OpenOptions, type OpenServer, openServer, serverSuite } from '../fixtures/open-server.ts'
import { until } from '../fixtures/until.ts'

const test = serverSuite('messages of Anthropic')

const clientOf = (world: OpenServer, apiKey = world.server.localKey): Anthropic =>
  new Anthropic({ baseURL: world.url, apiKey, maxRetries: 0 })

async function open(script?: Script, options: OpenOptions = {}): Promise<{ world: OpenServer; client: Anthropic }> {
  const world = await openServer({ ...(script && { script }), ...options })
  return { world, client: clientOf(world) }
}

const QUESTION = { model: 'svc', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'What is 6 times 7?' }] }

/** What a client that knows svc reads beside the message. */
const svcOf = (message: object): { run_id: string; status: string; verdict?: string; reason?: string } =>
  (message as { svc: { run_id: string; status: string } }).svc

const textsOf = ({ content }: { content: readonly { type: string }[] }): string[] =>
  content.flatMap((block) => (block.type === 'text' ? [(block as { text: string }).text] : []))

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
  assert.equal(
    [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
    [30, 7, 60, 10],
  )
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

test.run()
