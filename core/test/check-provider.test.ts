import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelCompletion, ModelPart, ModelRequest } from '../src/index.ts'
import { AnswerFold } from '../src/index.ts'
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

test('a provider may end an aborted call with the reason of the abort', async () => {
  const provider = () => ({
    ...scriptedProvider('plain', () => ''),
    async *generate(_request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncGenerator<ModelPart> {
      signal.throwIfAborted()
      yield { type: 'text', text: 'x' }
      signal.throwIfAborted()
      yield finish(1)
    },
  })
  assert.equal(await checkProvider(provider), [])
})

test('a missing finish, a wrong count and equal ids are each named', async () => {
  const call: ModelPart = { type: 'toolCall', call: { callId: 'same', tool: 'a', args: {} } }
  const problemsOf = async (...parts: ModelPart[]) =>
    (await checkProvider(() => scriptedProvider('odd', () => parts))).join('\n')
  assert.match(await problemsOf({ type: 'text', text: 'x' }), 'the last part is text, not finish')
  assert.match(await problemsOf(finish(-1)), 'usage.inputTokens is -1')
  assert.match(await problemsOf(finish(Number.NaN)), 'usage.inputTokens is NaN')
  assert.match(await problemsOf(finish(1), finish(1)), 'more than one finish')
  assert.match(await problemsOf(call, call, finish(1)), 'two tool calls share a callId')
})

test('complete is checked as generate is, and must return what it handed over', async () => {
  const scripted = scriptedProvider('whole', () => ({ text: 'hello', toolCalls: [{ tool: 'a', args: {} }] }))
  const completing = (change: (answer: ModelCompletion) => ModelCompletion | Promise<ModelCompletion>) => ({
    ...scripted,
    async complete(
      request: ModelRequest,
      { signal, onPart }: { signal: AbortSignal; onPart?: (p: ModelPart) => void },
    ) {
      const fold = new AnswerFold('whole', onPart)
      for await (const part of scripted.generate(request, { signal })) fold.add(part)
      return change(fold.end())
    },
  })
  assert.equal(await checkProvider(() => completing((answer) => answer)), [])
  const problemsOf = async (change: Parameters<typeof completing>[0]) =>
    (await checkProvider(() => completing(change))).join('\n')
  const differs = 'what complete returned is not what it handed to onPart'
  assert.match(await problemsOf((answer) => ({ ...answer, text: 'other' })), differs)
  assert.match(await problemsOf((answer) => ({ ...answer, toolCalls: [] })), differs)
  const wrong = { inputTokens: -1, outputTokens: 1, estimated: false }
  assert.match(
    await problemsOf((answer) => ({ ...answer, usage: wrong })),
    'complete, streamed: usage.inputTokens is -1',
  )
  assert.match(await problemsOf(() => Promise.reject(new Error('boom'))), 'complete, unstreamed: it threw Error (boom)')
})

test.run()
