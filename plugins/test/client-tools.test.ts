/** A conversation, instructions and tools that who asks for a run brings along. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type Runtime, type SvcConfig, SvcError, toText } from '@svc/core'
import { runIdOfCall } from '@svc/core/schema'
import { type Script, type ScriptedProvider, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'

const test = suite('conversation and tools of a client')
const opened: Runtime[] = []
const folders: string[] = []
test.after.each(async () => {
  await Promise.all(opened.splice(0).map((runtime) => runtime.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function open(script: Script, config: SvcConfig = {}): Promise<{ runtime: Runtime; provider: ScriptedProvider }> {
  const provider = scriptedProvider('scripted', script)
  const parts = definePlugin('parts', ({ providers }) => providers.add('scripted', provider))()
  const runtime = await createRuntime(
    { model: 'scripted/scripted', ...config },
    { env: {}, drainMs: 100, plugins: [parts] },
  )
  opened.push(runtime)
  return { runtime, provider }
}

const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { properties: { city: { type: 'string' } }, required: ['city'] },
}
const quick = { topology: 'SINGLE', reflect: false, memory: false } as const
const task = 'How is the weather in Bonn and Rome?'

/** Calls the tool for two cities at once, then says what it has read. */
const twoCities: Script = ({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool')
  if (results.length > 0) return `It is ${results.map(({ content }) => toText(content)).join(' and ')}.`
  const call = (city: string) => ({ tool: 'client.get_weather', args: { city } })
  return { text: 'I look.', toolCalls: [call('Bonn'), call('Rome')] }
}

test('what is said to a run while its client makes calls is read with what came of them', async () => {
  const { runtime, provider } = await open(twoCities)
  const { id } = await runtime.runs.create({ task, clientTools: [weather], ...quick })
  let run = await runtime.runs.wait(id)
  while ((run.waiting?.calls ?? []).length < 2) run = await runtime.runs.wait(id)
  const message = await runtime.runs.steer(id, { text: 'In Fahrenheit, please.' })
  run = await runtime.runs.get(id)
  assert.equal([run.status, run.unread], ['waiting', [message]])
  const results = (run.waiting?.calls ?? []).map((call) => ({ id: call.id, content: 'dry' }))
  await runtime.runs.resume(id, { results })
  run = await runtime.runs.wait(id)
  assert.equal([run.status, run.messages, run.unread], ['completed', [message], undefined])
  const last = provider.requests.at(-1)?.messages ?? []
  assert.equal(
    last.slice(-3).map(({ role }) => role),
    ['tool', 'tool', 'user'],
  )
  assert.match(toText(last.at(-1)?.content ?? []), 'In Fahrenheit, please.')
  assert.ok((await runtime.runs.replay(id)).identical)
})

test('a run waits for each call of its client, and goes on with what came of them', async () => {
  const { runtime } = await open(twoCities)
  const { id } = await runtime.runs.create({ task, clientTools: [weather], ...quick })
  let run = await runtime.runs.wait(id)
  while ((run.waiting?.calls ?? []).length < 2) run = await runtime.runs.wait(id)
  assert.is(run.status, 'waiting')
  const calls = run.waiting?.calls ?? []
  assert.equal(
    calls.map(({ tool, args }) => [tool, args]),
    [
      ['get_weather', { city: 'Bonn' }],
      ['get_weather', { city: 'Rome' }],
    ],
  )
  for (const call of calls) {
    assert.is(runIdOfCall(call.id), id)
    assert.is(call.id.length, 40)
  }
  const [bonn, rome] = calls.map((call) => call.id)
  const wrong = await runtime.runs
    .resume(id, { results: [{ id: `${bonn?.slice(0, -1)}x`, content: 'x' }] })
    .catch((thrown) => thrown)
  assert.ok(SvcError.isInstance(wrong))
  assert.is(wrong.code, 'validation_failed')
  const half = await runtime.runs.resume(id, { results: [{ id: String(rome), content: 'sunny' }] })
  assert.equal(
    half.waiting?.calls?.map((call) => call.id),
    [bonn],
  )
  await runtime.runs.resume(id, { results: [{ id: String(bonn), content: [{ type: 'text', text: 'rainy' }] }] })
  const ended = await runtime.runs.wait(id)
  assert.is(ended.status, 'completed')
  assert.is((ended.result as { summary: string }).summary, 'It is rainy and sunny.')
  assert.is((ended.result as { tainted?: boolean }).tainted, true)
  assert.equal(await runtime.runs.replay(id), { identical: true })
})

test('a call waits through a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  folders.push(folder)
  const config: SvcConfig = { store: { url: `sqlite:${join(folder, 'svc.db')}` } }
  const first = await open(twoCities, config)
  const { id } = await first.runtime.runs.create({ task, clientTools: [weather], ...quick })
  let run = await first.runtime.runs.wait(id)
  while ((run.waiting?.calls ?? []).length < 2) run = await first.runtime.runs.wait(id)
  await first.runtime.close()
  opened.length = 0
  const second = await open(twoCities, config)
  const again = await second.runtime.runs.get(id)
  const calls = again.waiting?.calls ?? []
  assert.is(calls.length, 2)
  await second.runtime.runs.resume(id, { results: calls.map((call) => ({ id: call.id, content: 'foggy' })) })
  const done = await second.runtime.runs.wait(id)
  assert.is(done.status, 'completed')
  assert.is((done.result as { summary: string }).summary, 'It is foggy and foggy.')
})

test('a failed call is a failed call', async () => {
  const { runtime, provider } = await open(twoCities)
  const { id } = await runtime.runs.create({ task, clientTools: [weather], ...quick })
  let run = await runtime.runs.wait(id)
  while ((run.waiting?.calls ?? []).length < 2) run = await runtime.runs.wait(id)
  const results = (run.waiting?.calls ?? []).map((call) => ({ id: call.id, content: 'no such city', isError: true }))
  await runtime.runs.resume(id, { results })
  await runtime.runs.wait(id)
  const last = provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  assert.equal(
    last.map(({ content }) => toText(content)),
    ['Error tool_failed: no such city', 'Error tool_failed: no such city'],
  )
})

test('a client may make as many calls as the budget holds', async () => {
  const { runtime } = await open(({ messages }) => {
    const made = messages.filter(({ role }) => role === 'tool').length
    return made === 30 ? 'It is done.' : { toolCalls: [{ tool: 'client.get_weather', args: { city: `city ${made}` } }] }
  })
  const { id } = await runtime.runs.create({ task, clientTools: [weather], ...quick })
  let run = await runtime.runs.wait(id)
  while (run.status === 'waiting') {
    const results = (run.waiting?.calls ?? []).map((call) => ({ id: call.id, content: 'sunny' }))
    await runtime.runs.resume(id, { results })
    run = await runtime.runs.wait(id)
  }
  assert.is((run.result as { summary: string }).summary, 'It is done.')
})

test('the model is sent the earlier turns and the instructions, calls as calls', async () => {
  const { runtime, provider } = await open(() => 'Green.')
  await runtime.runs
    .start({
      task: 'And now?',
      instructions: 'Answer with one word.',
      clientTools: [weather],
      turns: [
        { role: 'user', content: 'Weather in Bonn?' },
        {
          role: 'assistant',
          content: 'I look.',
          calls: [
            { callId: 'call_1', tool: 'get_weather', args: { city: 'Bonn' }, result: 'rainy' },
            { callId: 'call_2', tool: 'gone', args: {}, result: 'nothing' },
          ],
        },
        { role: 'assistant', content: 'It rains.' },
      ],
      ...quick,
    })
    .then(({ done }) => done)
  const [request] = provider.requests
  const [{ id } = { id: '' }] = (await runtime.runs.list()).data
  assert.equal(await runtime.runs.replay(id), { identical: true })
  const [system, ...rest] = request?.messages ?? []
  assert.match(toText(system?.content ?? []), 'Answer with one word.')
  assert.equal(
    rest.map(({ role, content, toolCalls, toolCallId }) => [role, toText(content), toolCalls?.[0]?.tool ?? toolCallId]),
    [
      ['user', 'Weather in Bonn?', undefined],
      ['assistant', 'I look.\n\n[called gone with {}: nothing]', 'client.get_weather'],
      ['tool', 'rainy', 'call_1'],
      ['assistant', 'It rains.', undefined],
      ['user', 'And now?', undefined],
    ],
  )
})

test('what is wrong with them is named', async () => {
  const { runtime } = await open(() => 'x')
  const thrown = await runtime.runs
    .create({
      task: 'x',
      threadId: 'thr_1',
      turns: [
        { role: 'assistant', content: '', context: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
        { role: 'user', content: '', calls: [] },
      ],
      clientTools: [weather, weather, { name: 'x', parameters: { type: 'string' } }],
    })
    .catch((thrown) => thrown)
  assert.ok(SvcError.isInstance(thrown))
  assert.equal(
    thrown.errors?.map(({ path }) => path),
    [
      '/turns',
      '/turns/0/context',
      '/turns/0/context/0',
      '/turns/1/calls',
      '/clientTools/1/name',
      '/clientTools/2/parameters/type',
    ],
  )
})

test.run()
