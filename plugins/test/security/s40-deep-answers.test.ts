/** S40: what a model answers nests so deep that what looks through it runs out of stack. */
import type { ModelPart } from '@svc/core'
import type { ScriptedAnswer } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../../src/index.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { endedRun, eventsOf, modelOf } from '../fixtures/runs.ts'

const test = suite('S40 deep answers')

const DEEP = 200_000

const nested = (levels: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

/** An answer that nobody has looked through before svc does. */
const raw = (finish: object, ...calls: { tool: string; args: unknown }[]): ModelPart[] => [
  ...calls.map((call, at): ModelPart => ({ type: 'toolCall', call: { callId: `call-${at}`, ...call } })),
  {
    type: 'finish',
    finishReason: calls.length > 0 ? 'toolCalls' : 'stop',
    usage: { inputTokens: 9, outputTokens: 9, estimated: false },
    ...finish,
  },
]

/** Runs a task whose model answers so first, and in words after it. */
async function run(first: ScriptedAnswer, outputSchema?: Record<string, unknown>) {
  const model = modelOf((_, turn) => (turn === 0 ? first : outputSchema === undefined ? 'It is done.' : '{"a":1}'))
  const runtime = await createRuntime(
    { model: 'scripted', plugins: [model] },
    { env: {}, persist: false, workspace: folderOf({ 'notes.md': 'The crane is old.' }) },
  )
  const id = await endedRun(runtime, {
    task: 'Read the notes',
    topology: 'SINGLE',
    ...(outputSchema !== undefined && { outputSchema }),
  })
  const { status, error } = await runtime.runs.get(id)
  const failed = (await eventsOf(runtime, id)).flatMap((event) =>
    event.type === 'tool.failed' ? [event.data.error.code, event.data.error.message] : [],
  )
  await runtime.close()
  return { status, code: error?.code, failed: failed.join(' ') }
}

test('arguments of a call that nest too deep are refused as others are that do not fit, and the run goes on', async () => {
  for (const levels of [65, DEEP]) {
    const { code, failed } = await run(raw({}, { tool: 'read_file', args: { path: nested(levels) } }))
    assert.is.not(code, 'internal_error')
    assert.match(failed, /^tool_bad_args [\s\S]*nested more than 64 levels deep/, code)
  }
  const fields = await run(raw({}, { tool: 'nothing', args: nested(DEEP) }))
  assert.is.not(fields.code, 'internal_error')
})

test('so is the state of a provider, and JSON that was asked for', async () => {
  const { code } = await run(raw({ state: nested(DEEP) }))
  assert.is(code, 'provider_bad_response')
  const asked = await run(`{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`, { type: 'object' })
  assert.is.not(asked.code, 'internal_error')
})

test('arguments that nest as people write them reach the tool', async () => {
  const { failed } = await run({ toolCalls: [{ tool: 'read_file', args: { path: nested(60) } }] })
  assert.match(failed, /^tool_bad_args .*path/)
  assert.not.match(failed, /nested more/)
  assert.is((await run({ toolCalls: [{ tool: 'read_file', args: { path: 'notes.md' } }] })).failed, '')
})

test.run()
