import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ProviderError, SvcError } from '../src/errors.ts'
import { type ModelPart, type ModelRequest, textMessage } from '../src/index.ts'
import { type ScriptedProvider, scriptedProvider } from '../src/testing/index.ts'
import { settled } from './fixtures/runtimes.ts'

const test = suite('scriptedProvider')

const ask = (stream = false): ModelRequest => ({ model: 'scripted', messages: [textMessage('user', 'hello')], stream })

async function collect(provider: ScriptedProvider, request = ask(), signal = new AbortController().signal) {
  const parts: ModelPart[] = []
  for await (const part of provider.generate(request, { signal })) parts.push(part)
  return parts
}

test('a text is answered in one part, or word by word when it is streamed', async () => {
  const provider = scriptedProvider('fake', (request) => `you said ${request.messages.length} thing `)
  assert.equal((await collect(provider)).slice(0, -1), [{ type: 'text', text: 'you said 1 thing ' }])
  const streamed = (await collect(provider, ask(true))).slice(0, -1)
  assert.equal(
    streamed.map((part) => part.type === 'text' && part.text),
    ['you', ' said', ' 1', ' thing', ' '],
  )
})

test('tool calls get ids that differ between calls, and the finish says so', async () => {
  const provider = scriptedProvider('fake', () => ({
    toolCalls: [
      { tool: 'add', args: { a: 1 } },
      { tool: 'add', args: { a: 2 } },
    ],
  }))
  const parts = [...(await collect(provider)), ...(await collect(provider))]
  const ids = parts.flatMap((part) => (part.type === 'toolCall' ? [part.call.callId] : []))
  assert.is(new Set(ids).size, 4)
  const finish = parts.at(-1)
  assert.is(finish?.type === 'finish' && finish.finishReason, 'toolCalls')
})

test('the script sees each request with its number, and the requests are kept', async () => {
  const provider = scriptedProvider('fake', (_request, callIndex) => String(callIndex))
  await collect(provider)
  const parts = await collect(provider)
  assert.equal(parts[0], { type: 'text', text: '1' })
  assert.is(provider.requests.length, 2)
})

test('an error comes after the text and instead of the finish', async () => {
  const error = new ProviderError('provider_unavailable', 'the line was cut', { provider: 'fake' })
  const provider = scriptedProvider('fake', () => ({ text: 'half', error }))
  const parts: ModelPart[] = []
  try {
    for await (const part of provider.generate(ask(), { signal: new AbortController().signal })) parts.push(part)
    assert.unreachable()
  } catch (thrown) {
    assert.is(thrown, error)
  }
  assert.equal(parts, [{ type: 'text', text: 'half' }])
})

test('an abort ends a delay at once', async () => {
  const provider = scriptedProvider('fake', () => ({ text: 'late', delayMs: 86_400_000 }))
  const controller = new AbortController()
  const answer = collect(provider, ask(), controller.signal).then(
    () => 'it was waited for',
    (thrown) => SvcError.isInstance(thrown) && thrown.code,
  )
  await settled()
  controller.abort()
  assert.is(await answer, 'cancelled')
})

test.run()
