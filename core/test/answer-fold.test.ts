import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelCompletion, ModelPart, ModelRequest } from '../src/index.ts'
import { AnswerFold, generateByCompleting, ProviderError, textMessage } from '../src/index.ts'
import { splitModelName } from '../src/schema.ts'

const test = suite('answer fold')

const usage = { inputTokens: 1, outputTokens: 1, estimated: false }
const finish: ModelPart = { type: 'finish', finishReason: 'stop', usage, state: { kept: true } }
const call: ModelPart = { type: 'toolCall', call: { callId: 'c1', tool: 'a', args: {} } }
const request: ModelRequest = { model: '', messages: [textMessage('user', 'hello')], stream: true }

test('parts add up to one answer, and each but the finish is handed on as it comes', () => {
  const handed: ModelPart[] = []
  const fold = new AnswerFold('p', (part) => handed.push(part))
  const parts: ModelPart[] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'a' },
    call,
    { type: 'text', text: 'b' },
  ]
  for (const part of parts) fold.add(part)
  assert.equal(handed, parts)
  assert.is(fold.isFinished, false)
  fold.add(finish)
  const { ttftMs, ...answer } = fold.end()
  assert.ok(ttftMs !== undefined && ttftMs >= 0)
  assert.equal(answer, {
    text: 'ab',
    reasoning: 'hm',
    toolCalls: [call.type === 'toolCall' && call.call],
    finishReason: 'stop',
    usage,
    state: { kept: true },
  })
  assert.equal(handed, parts)
})

test('an answer without parts has no time to its first, and one without a finish is none', () => {
  const empty = new AnswerFold('p')
  assert.throws(
    () => empty.end(),
    (thrown: ProviderError) => thrown.code === 'provider_bad_response',
  )
  empty.add(finish)
  assert.equal(Object.keys(empty.end()).sort(), ['finishReason', 'state', 'text', 'toolCalls', 'usage'])
})

test('an answer of more than eight million characters is cut off', () => {
  const fold = new AnswerFold('p')
  fold.add({ type: 'text', text: 'x'.repeat(8_000_000) })
  assert.throws(
    () => fold.add({ type: 'reasoning', text: 'x' }),
    (thrown: ProviderError) => thrown.code === 'provider_bad_response',
  )
})

const drain = async (parts: AsyncIterable<ModelPart>) => {
  const read: ModelPart[] = []
  for await (const part of parts) read.push(part)
  return read
}
const { signal } = new AbortController()

test('a reader that stops ends the call, and a call that fails throws at its reader', async () => {
  let aborted = false
  const waiting = (_: ModelRequest, options: { signal: AbortSignal; onPart?: (part: ModelPart) => void }) =>
    new Promise<ModelCompletion>((_resolve, reject) => {
      options.signal.addEventListener('abort', () => {
        aborted = true
        reject(new Error('late'))
      })
      options.onPart?.({ type: 'text', text: 'a' })
    })
  for await (const _part of generateByCompleting(waiting, request, { signal })) break
  assert.ok(aborted)
  const failing = () => Promise.reject(new ProviderError('provider_unavailable', 'gone', { provider: 'p' }))
  const thrown = await drain(generateByCompleting(failing, request, { signal })).catch((error) => error)
  assert.is(thrown.message, 'gone')
})

test("a model's name is split at its first slash", () => {
  assert.equal(splitModelName('a/b/c'), { provider: 'a', model: 'b/c' })
  assert.equal(splitModelName('b'), { model: 'b' })
  assert.equal(splitModelName('/b'), { model: 'b' })
  assert.equal(splitModelName('a/'), { provider: 'a' })
  assert.equal(splitModelName(''), {})
})

test.run()
