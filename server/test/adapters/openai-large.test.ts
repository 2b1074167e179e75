/** Long conversations and many images, through OpenAI's own client. */
import { toText } from '@svc/core'
import type OpenAI from 'openai'
import * as assert from 'uvu/assert'
import { serverSuite } from '../fixtures/open-server.ts'
import { openForOpenAi } from '../fixtures/openai-client.ts'

const test = serverSuite('long conversations of clients of OpenAI')

const ROUNDS = 200
const MEGABYTE = 1_048_576
const vision = [{ id: 'scripted', tools: true, vision: true, context: 400_000 }]

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** A picture of so many bytes, no two of them alike. */
const picture = (bytes: number, index: number): string =>
  `data:image/png;base64,${Buffer.concat([PIXEL, Buffer.alloc(bytes - PIXEL.length, index + 1)]).toString('base64')}`

test('a conversation of 200 turns that the client sends whole', async () => {
  const world = await openForOpenAi({ models: vision })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be short.' }]
  for (let round = 0; round < ROUNDS; round++)
    messages.push({ role: 'user', content: `Question ${round}?` }, { role: 'assistant', content: `Answer ${round}.` })
  messages.push({ role: 'user', content: 'And now?' })
  const answer = await world.client.chat.completions.create({ model: 'svc', messages })
  assert.is(answer.choices[0]?.message.content, 'The answer is 42.')
  const sent = world.provider.requests.at(-1)?.messages ?? []
  assert.is(sent.length, 1 + 2 * ROUNDS + 1)
  assert.is(toText(sent[1]?.content ?? []), 'Question 0?')
  assert.match(toText(sent.at(-1)?.content ?? []), 'And now?')
})

test('a conversation of 200 responses, each going on from the one before', async () => {
  const world = await openForOpenAi({ models: vision, script: (_request, index) => `Answer ${index}.` })
  let previous: string | undefined
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await world.client.responses.create({
      model: 'svc',
      input: `Question ${round}?`,
      ...(previous !== undefined && { previous_response_id: previous }),
    })
    previous = id
  }
  const sent = world.provider.requests.at(-1)?.messages ?? []
  assert.is(sent.length, 2 * ROUNDS)
  assert.is(toText(sent[1]?.content ?? []), 'Question 0?')
  assert.is((await world.runtime.threads.list()).data.length, 1)
})

test('an answer that comes faster than it is read reaches its reader whole', async () => {
  const answer = Array.from({ length: 60_000 }, (_, index) => `word${index}`).join(' ')
  const { client } = await openForOpenAi({ script: () => answer })
  const messages = [{ role: 'user' as const, content: 'Say many words.' }]
  let said = ''
  for await (const { choices } of await client.chat.completions.create({ model: 'svc', messages, stream: true }))
    said += choices[0]?.delta.content ?? ''
  assert.is(said, answer)
  let heard = ''
  for await (const event of await client.responses.create({ model: 'svc', input: 'Say many words.', stream: true }))
    if (event.type === 'response.output_text.delta') heard += event.delta
  assert.is(heard, answer)
})

test('20 MB of images in one request reach the model, and one byte too many is refused', async () => {
  const world = await openForOpenAi({ models: vision })
  const images = Array.from({ length: 6 }, (_, index) => ({
    type: 'image_url' as const,
    image_url: { url: picture(3_400_000, index) },
  }))
  const content = [{ type: 'text' as const, text: 'What do they show?' }, ...images]
  const ask = { model: 'svc', messages: [{ role: 'user' as const, content }] }
  assert.ok(JSON.stringify(ask).length > 20e6)
  await world.client.chat.completions.create(ask)
  const sent = world.provider.requests.at(-1)?.messages.at(-1)?.content ?? []
  const shown = sent.flatMap((part) => (part.type === 'image' ? part.data.length : []))
  assert.is(shown.length, 6)
  assert.ok(shown.reduce((sum, length) => sum + length, 0) > 20e6)

  const url = picture(4 * MEGABYTE, 1)
  const large = [
    { role: 'user' as const, content: [{ type: 'input_image' as const, image_url: url, detail: 'auto' as const }] },
  ]
  const thrown = await world.client.responses.create({ model: 'svc', input: large }).catch((error) => error)
  assert.is(thrown.status, 400)
  assert.is(thrown.param, 'input[0].content[0].image_url')
  assert.match(thrown.message, /at most 3932160/)
  world.server.reload({ limits: { conversationBytes: 10 * MEGABYTE } })
  const tooLong = await world.client.chat.completions.create(ask).catch((error) => error)
  assert.equal([tooLong.status, tooLong.code], [413, 'body_too_large'])
})

test.run()
