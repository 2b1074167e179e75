import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ProviderError } from '../src/errors.ts'
import type { ModelPart } from '../src/index.ts'
import { checkProvider, scriptedProvider } from '../src/testing/index.ts'

const test = suite('checkProvider')

const finish = (inputTokens: number): ModelPart => ({
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens, outputTokens: 1, estimated: false },
})

test('a provider that keeps the contract has no problem', async () => {
  const provider = () => scriptedProvider('fine', () => ({ text: 'hello there', toolCalls: [{ tool: 'a', args: {} }] }))
  assert.equal(await checkProvider(provider), [])
})

test('a provider that waits is aborted in time', async () => {
  const provider = () =>
    scriptedProvider('slow', (request) => ({ text: 'x', ...(request.seed === 1 && { delayMs: 5000 }) }))
  assert.equal(await checkProvider(provider, { slow: { seed: 1 } }), [])
})

test('a missing finish, a wrong count, equal ids and a foreign error are each named', async () => {
  const call: ModelPart = { type: 'toolCall', call: { callId: 'same', tool: 'a', args: {} } }
  const problemsOf = async (...parts: ModelPart[]) =>
    (await checkProvider(() => scriptedProvider('odd', () => parts))).join('\n')
  assert.match(await problemsOf({ type: 'text', text: 'x' }), 'the last part is text, not finish')
  assert.match(await problemsOf(finish(-1)), 'usage.inputTokens is -1')
  assert.match(await problemsOf(finish(Number.NaN)), 'usage.inputTokens is NaN')
  assert.match(await problemsOf(finish(1), finish(1)), 'more than one finish')
  assert.match(await problemsOf(call, call, finish(1)), 'two tool calls share a callId')
  const throwing = scriptedProvider('odd', (request) => ({
    text: 'x',
    ...(request.seed === 1 && { error: new Error('boom') }),
  }))
  assert.match((await checkProvider(() => throwing, { failing: [{ seed: 1 }] })).join('\n'), 'no ProviderError')
  const failing = scriptedProvider('odd', (request) => ({
    text: 'x',
    ...(request.seed === 1 && { error: new ProviderError('provider_unavailable', 'gone', { provider: 'odd' }) }),
  }))
  assert.equal(await checkProvider(() => failing, { failing: [{ seed: 1 }] }), [])
})

test('a provider that ignores the abort is found out', async () => {
  const deaf = {
    ...scriptedProvider('deaf', () => ''),
    async *generate(): AsyncGenerator<ModelPart> {
      yield { type: 'text', text: 'x' }
      await new Promise((resolve) => setTimeout(resolve, 250))
      yield finish(1)
    },
  }
  assert.match((await checkProvider(() => deaf)).join('\n'), 'it went on for')
})

test.run()
