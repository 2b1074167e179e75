/** Runs of many kinds, each exported, and gone over in an empty folder without its provider, its tools and its keys. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import {
  definePlugin,
  type ExecutionResult,
  type Plugin,
  ProviderError,
  type RunCreate,
  type SvcConfig,
  type Tool,
} from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { findChanges } from '@svc/core/recordings'
import { type Script, scriptedProvider } from '@svc/core/testing'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConfiguredRuntime, createRuntime, openCassette, type ReplayedRun, replayRun } from '../src/index.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { endedRun, errorOf, eventsOf, exportOf, modelOf, resultOf } from './fixtures/runs.ts'
import { until } from './fixtures/until.ts'

const price = { input: 3, output: 15 }
const fake = (script: Script, id = 'fake'): Plugin => modelOf(script, id, { models: [{ id: 'small', price }] })

const start = (script: Script, { plugins = [], ...config }: SvcConfig & { plugins?: Plugin[] } = {}) =>
  createRuntime(
    { model: 'fake/small', plugins: [fake(script), kitchen(), ...plugins], ...config },
    { env: {}, persist: false, workspace: folderOf({ 'notes.md': 'The crane is 40 years old.\n' }) },
  )

/** Goes over a file where the machine has no provider, no tool and no key. */
async function replayed(file: string, plugins: Plugin[] = []): Promise<ReplayedRun> {
  const none = join(folderOf(), 'none.json')
  const loaded = await loadConfig({ cwd: folderOf(), userDir: folderOf(), managedFile: none, env: {} })
  const given = plugins.map((plugin) => ({ plugin, source: 'test', authority: 'program' as const }))
  return replayRun(await openCassette(file, 'strict'), { ...loaded, plugins: given })
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** That the run comes to the same elsewhere. @returns its result */
async function isIdentical(runtime: ConfiguredRuntime, id: string, plugins: Plugin[] = []): Promise<ExecutionResult> {
  const [result, events] = [await resultOf(runtime, id), await eventsOf(runtime, id)]
  const again = await replayed(await exportOf(runtime, id), plugins)
  const why = (again.result as ExecutionResult).error?.message ?? ''
  assert.ok(again.identical, `differs: ${why} ${JSON.stringify(differing(again)).slice(0, 2_000)}`)
  assert.equal(plain(again.result), plain(result))
  assert.equal(plain(again.events), plain(events))
  return result
}

/** The same of one run in a runtime of its own. */
async function goesAsItDid(
  script: Script,
  create: RunCreate,
  config: SvcConfig & { plugins?: Plugin[] } = {},
): Promise<ExecutionResult> {
  const runtime = await start(script, config)
  try {
    return await isIdentical(runtime, await endedRun(runtime, create))
  } finally {
    await runtime.close()
  }
}

/** A file with a recorded run. */
async function record(script: Script, create: RunCreate, plugins: Plugin[] = []) {
  const runtime = await start(script, { plugins })
  const id = await endedRun(runtime, create)
  const recorded = { file: await exportOf(runtime, id), result: await resultOf(runtime, id) }
  await runtime.close()
  return recorded
}

const differing = ({ recorded, events, firstDifference: [one, two] = [0, 0] }: ReplayedRun): unknown =>
  findChanges(
    '',
    recorded.find(({ seq }) => seq === one),
    events.find(({ seq }) => seq === two),
  )

const oven: Tool = {
  id: 'oven',
  description: 'Heats something.',
  parameters: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
  risk: 'write',
  run: async (args) => `heated to ${(args as { degrees: number }).degrees}, at ${Math.random()}`,
}
const clockTool: Tool = {
  id: 'clock',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  risk: 'read',
  run: async ({ zone = 'UTC' }: { zone?: string } = {}) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    return `${zone} ${performance.now()}`
  },
}
const kitchen = definePlugin('kitchen', ({ tools }) => {
  tools.add('oven', oven)
  tools.add('clock', clockTool)
})

const toolsThenText: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? `The time was asked ${messages.length} messages in.`
    : {
        toolCalls: [
          { tool: 'clock', args: { zone: 'CET' } },
          { tool: 'clock', args: { zone: 'JST' } },
        ],
      }

const reads: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? 'The crane is 40 years old.'
    : { toolCalls: [{ tool: 'read_file', args: { path: 'notes.md' } }] }

const test = suite('replay run')

test('tries that failed, fallbacks and a failed end are gone over without waiting', async () => {
  let tries = 0
  const flaky: Script = () => {
    tries++
    const error = new ProviderError('provider_unavailable', 'it is down', { provider: 'fake', retryable: true })
    return tries < 3 ? { text: tries === 2 ? 'half an ans' : '', error } : 'It is up.'
  }
  await goesAsItDid(flaky, { task: 'Say something.' })
  const dead: Script = () => ({ error: new ProviderError('provider_auth', 'no such key', { provider: 'fake' }) })
  const other = fake(() => 'From the other one.', 'other')
  const saved = await goesAsItDid(dead, { task: 'Say something.' }, { plugins: [other], fallback: ['other/small'] })
  assert.is(saved.summary, 'From the other one.')
  assert.is((await goesAsItDid(dead, { task: 'Say something.' })).status, 'failed')
})

test('what people answered is not asked again', async () => {
  const heats: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Heated.' : { toolCalls: [{ tool: 'oven', args: { degrees: 180 } }] }
  for (const decision of ['approve', 'deny', 'edit'] as const) {
    const runtime = await start(heats)
    const id = await endedRun(runtime, { task: 'Heat the oven.', approval: 'wait' })
    const [approval] = (await runtime.approvals.list()).data
    const edited = decision === 'edit' ? { args: { degrees: 20 } } : {}
    await runtime.approvals.resolve(approval?.id ?? '', { decision, ...edited })
    await isIdentical(runtime, id)
    await runtime.close()
  }
  await goesAsItDid(heats, { task: 'Heat the oven.' })
  const runtime = await start(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? `You said: ${JSON.stringify(messages.at(-1)?.content)}`
      : { toolCalls: [{ tool: 'ask_user', args: { question: 'Which crane?' } }] },
  )
  const id = await endedRun(runtime, { task: 'Ask which crane is meant.', approval: 'wait' })
  await runtime.runs.resume(id, { input: 'the red one' })
  assert.match((await isIdentical(runtime, id)).summary, /the red one/)
  await runtime.close()
})

const image = {
  type: 'image' as const,
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const long: Script = () => ({ text: 'word '.repeat(400), toolCalls: [{ tool: 'clock', args: {} }] })

for (const [what, create, script = () => '{"n":4}'] of [
  ['limits of tokens', { budget: { maxTokens: 3_000 } }, long],
  ['limits of calls', { budget: { maxSteps: 2 } }, long],
  ['structured output', { outputSchema, files: ['notes.md'] }],
  ['a plan alone', { mode: 'plan' }],
  ['an analysis alone', { mode: 'analyze' }],
  ['images', { context: [image] }],
  ['profiles and a seed', { agents: ['reader'], seed: 7 }],
] as [string, Partial<RunCreate>, Script?][]) {
  test(`a run with ${what} is gone over`, async () => {
    const agents = { reader: { name: 'Reader', instructions: 'Read closely.', capabilities: ['crane'] } }
    await goesAsItDid(script, { task: 'Two and two?', ...create }, { agents })
  })
}

test('what a thread and the memory held is in the recording', async () => {
  const runtime = await start(({ messages }) => `seen ${JSON.stringify(messages).length} characters`)
  await runtime.memory.write({ content: 'The office opens at nine.', layer: 'long-term', kind: 'fact' })
  const { id: threadId } = await runtime.threads.create({})
  await endedRun(runtime, { task: 'My name is Ada.', threadId })
  const id = await endedRun(runtime, { task: 'When does the office open?', threadId })
  assert.match(readFileSync(await exportOf(runtime, id), 'utf8'), /The office opens at nine/)
  await isIdentical(runtime, id)
  await runtime.close()
})

test('a run that was cancelled is gone over as far as it went', async () => {
  let isAsked = false
  const runtime = await start(() => {
    isAsked = true
    return { text: 'late', delayMs: 60_000 }
  })
  const { id } = await runtime.runs.create({ task: 'Wait.' })
  await until(() => isAsked)
  await runtime.runs.cancel(id, 'enough')
  assert.is((await isIdentical(runtime, id)).status, 'cancelled')
  await runtime.close()
})

test('a run that was resumed, and one that was forked', async () => {
  let isUp = false
  const script: Script = (request, index) =>
    request.messages.at(-1)?.role === 'tool' && !isUp
      ? { error: new ProviderError('provider_auth', 'the key expired', { provider: 'fake' }) }
      : reads(request, index)
  const runtime = await start(script)
  const failed = await endedRun(runtime, { task: 'How old is the crane?' })
  await isIdentical(runtime, failed)
  isUp = true
  const resumed = await runtime.runs.resume(failed)
  await runtime.runs.wait(resumed.id)
  assert.is((await isIdentical(runtime, resumed.id)).status, 'completed')
  const { lastSeq } = await runtime.runs.get(resumed.id)
  for (const atSeq of [0, 9, 20, lastSeq - 3]) {
    const fork = await runtime.runs.fork(resumed.id, { atSeq })
    await runtime.runs.wait(fork.id)
    await isIdentical(runtime, fork.id)
  }
  await runtime.close()
})

test('whatever a model does, the run goes as it did', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), text: fc.lorem({ maxCount: 12 }) }),
    fc.record({
      kind: fc.constant('tools' as const),
      zones: fc.array(fc.constantFrom('CET', 'JST', 'PST'), { minLength: 1, maxLength: 3 }),
    }),
    fc.constant({ kind: 'fails' as const }),
    fc.constant({ kind: 'bad' as const }),
  )
  const topology = fc.constantFrom('SINGLE', 'SEQUENTIAL', 'PARALLEL', 'CENTRALIZED', 'DECENTRALIZED', 'HYBRID')
  const risk = fc.constantFrom('low' as const, 'high' as const)
  const check = fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      topology,
      risk,
      async (steps, shape, riskLevel) => {
        const script: Script = async ({ messages }, index) => {
          // A model over a network never answers at once.
          await new Promise((resolve) => setTimeout(resolve, 1 + ((index * 7) % 5)))
          const next = steps[(index + messages.length) % steps.length]
          if (next?.kind === 'tools' && messages.length < 12)
            return { toolCalls: next.zones.map((zone) => ({ tool: 'clock', args: { zone } })) }
          if (next?.kind === 'bad' && messages.length < 8) return { toolCalls: [{ tool: 'nothing', args: {} }] }
          if (next?.kind === 'fails' && index % 2 === 0)
            return { error: new ProviderError('provider_bad_response', 'odd', { provider: 'fake', retryable: false }) }
          return next?.kind === 'text' && next.text !== '' ? next.text : `answer ${index}`
        }
        const task = 'Look at the clock of Rome, then compare it with the clock of Tokyo, and write a report.'
        await goesAsItDid(script, { task, topology: shape, riskLevel })
      },
    ),
    { numRuns: 25 },
  )
  // What differs says more than which script it was.
  await check.catch((thrown: Error) => {
    throw new Error(`${thrown.message}\n${String(thrown.cause)}`)
  })
})

test('a plugin that draws, reads, embeds and asks the time', async () => {
  let read = 0
  const lucky = (): Plugin =>
    definePlugin('lucky', ({ hooks }) => {
      hooks.reflect.tapPromise('lucky', async (answer, _input, run) => {
        const seen = await run.record('lucky/read', async () => ({ read: ++read }))
        const vectors = await run.embed({
          key: 'lucky/embed',
          agentId: 'lucky',
          model: 'vectors/small',
          texts: ['a', 'b'],
        })
        const failed = await run
          .embed({ key: 'lucky/fails', agentId: 'lucky', model: 'vectors/small', texts: ['slow'] })
          .catch(({ code }) => code)
        run.emit('log.line', { level: 'info', message: 'drawn' })
        const drawn = [run.random(), run.random('x'), run.newId('luck'), run.now()]
        run.warn({
          code: 'lucky',
          message: [...drawn, seen.read, vectors.length, failed].join(' '),
        })
        return answer
      })
    })()
  const vectors = definePlugin('vectors', ({ providers }) => {
    providers.add('vectors', {
      ...scriptedProvider('vectors', () => '', { models: [{ id: 'small', embedding: true }] }),
      embed: async (texts) => {
        if (texts[0] === 'slow') throw new ProviderError('provider_timeout', 'slow', { provider: 'vectors' })
        return {
          vectors: texts.map(() => [Math.random()]),
          usage: { inputTokens: texts.length, outputTokens: 0, estimated: false },
        }
      },
    })
  })()
  const runtime = await start(reads, { plugins: [vectors, lucky()] })
  const result = await isIdentical(runtime, await endedRun(runtime, { task: 'How old is the crane?' }), [lucky()])
  assert.match(
    result.warnings.find(({ code }) => code === 'lucky')?.message ?? '',
    /^0\.\d+ 0\.\d+ luck_\w+ \d+ 1 2 provider_timeout$/,
  )
  assert.is(read, 1)
  await runtime.close()
})

test('in each wire format: the same result and log with the server gone and no key', async () => {
  const [key, summary] = ['mock-secret-key-0123456789', 'The crane is 40 years old (notes.md:1).']
  const mock = new LLMock({ port: 0, host: '127.0.0.1' })
  mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'read_file', arguments: '{"path":"notes.md"}' }] })
  mock.on({ hasToolResult: true }, { content: summary })
  await mock.start()
  const workspace = folderOf({ 'notes.md': 'The crane is 40 years old.\n' })
  const recorded: { file: string; result: ExecutionResult }[] = []
  for (const type of ['openai', 'openai-responses', 'anthropic']) {
    const baseUrl = type === 'anthropic' ? mock.url : `${mock.url}/v1`
    const config = { model: 'vendor/small', providers: { vendor: { type, baseUrl, apiKeyEnv: 'VENDOR_KEY' } } }
    const runtime = await createRuntime(config, { env: { VENDOR_KEY: key }, persist: false, workspace })
    const id = await endedRun(runtime, { task: 'How old is the crane?' })
    recorded.push({ file: await exportOf(runtime, id), result: await resultOf(runtime, id) })
    await runtime.close()
  }
  await mock.stop()
  for (const { file, result } of recorded) {
    assert.is(result.summary, summary)
    assert.not.match(readFileSync(file, 'utf8'), key)
    const again = await replayed(file)
    assert.ok(again.identical)
    assert.equal(plain(again.result), plain(result))
  }
})

test('a swapped component that asks the same is answered; one that asks otherwise hears how it differs', async () => {
  const recorded = await record(toolsThenText, { task: 'What time is it?' })
  const quiet = definePlugin('quiet', ({ hooks }) => {
    hooks.inspect.tap('quiet', () => ({ grade: 'degraded', score: 0.8, issues: [], signals: { own: 1 } }))
  })
  const same = await replayed(recorded.file, [quiet()])
  assert.not(same.identical)
  const result = same.result as ExecutionResult
  assert.is(result.summary, recorded.result.summary)
  assert.is(result.status, 'completed')
  assert.equal(result.inspection?.signals, { own: 1 })
  const loud = definePlugin('loud', ({ hooks }) => {
    hooks.modelRequest.tap('loud', (_, request) => ({
      ...request,
      messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: 'Shout!' }] }],
    }))
  })
  const other = (await replayed(recorded.file, [loud()])).result as ExecutionResult
  assert.is(other.status, 'failed')
  assert.is(other.error?.code, 'replay_diverged')
  assert.match(other.error?.message ?? '', /no such model call execute\/.*the recorded one differs in messages\/\d/)
})

test('with fill, calls that are not recorded are made and marked, and reading tools are not asked again', async () => {
  const recorded = await record(toolsThenText, { task: 'What time is it?' })
  const cassette = await openCassette(recorded.file, 'fill')
  let asked = 0
  const shout = definePlugin('shout', ({ hooks }) => {
    hooks.modelRequest.tap('shout', (_, request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { ...request, messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: 'Shout!' }] }] }
        : undefined,
    )
  })
  const live = fake(() => {
    asked++
    return 'IT IS LATE.'
  })
  const config = { model: 'fake/small', plugins: [live, kitchen(), shout()] }
  const runtime = await createRuntime(config, { env: {}, persist: false, workspace: folderOf(), cassette })
  const id = await endedRun(runtime, { task: 'What time is it?' })
  const [result, events, file] = [await resultOf(runtime, id), await eventsOf(runtime, id), await exportOf(runtime, id)]
  const marks = events.flatMap(({ type, data }) => (type === 'model.completed' ? [data.recorded] : []))
  await runtime.close()
  assert.ok((await replayed(file, [shout()])).identical, 'a run that was itself answered from a recording')
  assert.is(result.summary, 'IT IS LATE.')
  assert.is(asked, 1)
  assert.equal(marks, [true, undefined])
  assert.is(cassette.report.hits, 1)
  assert.is(cassette.report.misses.length, 1)
  assert.match(result.warnings.find(({ code }) => code === 'cassette_miss')?.message ?? '', /Shout!.*The call was made/)
})

test('no secret is in a recording', async () => {
  const canary = 'sk-canary-0123456789abcdef0123456789abcdef'
  const config = {
    model: 'fake/small',
    plugins: [fake(() => `The key is ${canary}.`)],
    providers: { extra: { type: 'openai', baseUrl: 'http://127.0.0.1:1/v1', headers: { 'x-key': canary } } },
  }
  const runtime = await createRuntime(config, {
    env: { OPENAI_API_KEY: canary },
    persist: false,
    workspace: folderOf(),
  })
  const create = { task: `Use ${canary} to log in.`, context: canary, metadata: { canary } }
  const file = await exportOf(runtime, await endedRun(runtime, create))
  await runtime.close()
  assert.not.match(readFileSync(file, 'utf8'), /canary-0123/)
  assert.is(((await replayed(file)).result as ExecutionResult).summary, 'The key is [redacted].')
})

test('a file that is no recording, was changed or cut, or is of a newer svc is refused', async () => {
  const { file } = await record(() => 'Something.', { task: 'Say something.' })
  const whole = readFileSync(file, 'utf8')
  for (const [text, said] of [
    [whole.replaceAll('Something.', 'Nothing.'), 'not as it was written'],
    [whole.slice(0, whole.length / 2), 'cut'],
    [whole.replace('"svcRun":2', '"svcRun":3'), 'newer svc'],
    ['{"recordings":[]}\n', 'no exported run'],
    ['', 'empty'],
    [undefined, 'cannot be read: ENOENT'],
  ] as const) {
    const path = join(folderOf(), 'changed.svcrun')
    if (text !== undefined) writeFileSync(path, text)
    const { code, message } = await errorOf(openCassette(path, 'strict'))
    assert.is(code, 'validation_failed', said)
    assert.match(message, said)
  }
})

test('a plugin of the recorded run that is not here is named', async () => {
  const named = definePlugin('careful', ({ hooks }) => {
    hooks.analyze.tap('careful', () => undefined)
  })
  const { file } = await record(() => 'Something.', { task: 'Say something.' }, [named()])
  const { code, message } = await errorOf(replayed(file))
  assert.is(code, 'plugin_load_failed')
  assert.match(message, '"careful"')
  assert.ok((await replayed(file, [named()])).identical)
})

test.run()
