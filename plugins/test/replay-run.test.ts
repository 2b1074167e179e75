import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  definePlugin,
  type ExecutionResult,
  type LoadedConfig,
  type Plugin,
  ProviderError,
  type RunCreate,
  type RunEvent,
  type SvcConfig,
  SvcError,
  type Tool,
} from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { findChanges } from '@svc/core/recordings'
import { type Script, scriptedProvider } from '@svc/core/testing'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime, openCassette, type ReplayedRun, replayRun } from '../src/index.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'svc-replay-'))

/** A config of a machine that has none: no provider, no tool, no key. */
const elsewhere = (): Promise<LoadedConfig> =>
  loadConfig({ cwd: folder(), userDir: folder(), managedFile: join(folder(), 'none.json'), env: {} })

const price = { input: 3, output: 15 }
const fake = (script: Script, id = 'fake'): Plugin =>
  definePlugin(`${id}-model`, ({ providers }) =>
    providers.add(id, scriptedProvider(id, script, { models: [{ id: 'small', price }] })),
  )()

interface Recorded {
  file: string
  events: RunEvent[]
  result: ExecutionResult
}

/** Makes a run and records it. */
async function record(
  create: RunCreate,
  config: SvcConfig & { plugins: Plugin[] },
  during?: (runtime: Awaited<ReturnType<typeof createRuntime>>, id: string) => Promise<void>,
): Promise<Recorded> {
  const file = join(folder(), 'run.svcrun')
  const runtime = await createRuntime(
    { model: 'fake/small', ...config },
    { env: {}, persist: false, workspace: folder() },
  )
  try {
    const { id } = await runtime.runs.create(create)
    await during?.(runtime, id)
    const events: RunEvent[] = []
    for await (const event of runtime.runs.events(id, { deltas: false })) events.push(event)
    const chunks: Uint8Array[] = []
    for await (const bytes of runtime.runs.export(id)) chunks.push(bytes)
    writeFileSync(file, Buffer.concat(chunks))
    return { file, events, result: (await runtime.runs.result(id)) as ExecutionResult }
  } finally {
    await runtime.close()
  }
}

async function replayed(file: string, plugins: Plugin[] = []): Promise<ReplayedRun> {
  const loaded = await elsewhere()
  const given = plugins.map((plugin) => ({ plugin, source: 'test', authority: 'program' as const }))
  return replayRun(await openCassette(file, 'strict'), { ...loaded, plugins: given })
}

async function isIdentical({ file, events, result }: Recorded, plugins: Plugin[] = []): Promise<void> {
  const again = await replayed(file, plugins)
  const why = (again.result as ExecutionResult).error?.message ?? ''
  assert.ok(again.identical, `differs: ${why} ${JSON.stringify(differing(again)).slice(0, 2_000)}`)
  assert.equal(JSON.parse(JSON.stringify(again.result)), JSON.parse(JSON.stringify(result)))
  assert.equal(JSON.parse(JSON.stringify(again.events)), JSON.parse(JSON.stringify(events)))
}

const differing = ({ recorded, events, firstDifference: [one, two] = [0, 0] }: ReplayedRun): unknown =>
  findChanges(
    '',
    recorded.find(({ seq }) => seq === one),
    events.find(({ seq }) => seq === two),
  )

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (thrown) {
    return SvcError.isInstance(thrown) ? `${thrown.code}: ${thrown.message}` : String(thrown)
  }
  return 'nothing'
}

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

const test = suite('replay run')

test('a run with tools goes as it did where neither its provider nor its tools are', async () => {
  await isIdentical(await record({ task: 'What time is it?' }, { plugins: [fake(toolsThenText), kitchen()] }))
})

test('agents at once end in the order in which they ended', async () => {
  const script: Script = async (request, index) => {
    await new Promise((resolve) => setTimeout(resolve, (index % 3) * 4))
    return toolsThenText(request, index)
  }
  const create: RunCreate = {
    task: 'Compare: - the clock of Rome\n- the clock of Tokyo\n- the clock of Lima\n- the clock of Oslo',
    topology: 'PARALLEL',
    riskLevel: 'high',
  }
  await isIdentical(await record(create, { plugins: [fake(script), kitchen()] }))
})

test('tries that failed, fallbacks and a failed end are gone over without waiting', async () => {
  let tries = 0
  const flaky: Script = () => {
    tries++
    const error = new ProviderError('provider_unavailable', 'it is down', { provider: 'fake', retryable: true })
    return tries < 3 ? { text: tries === 2 ? 'half an ans' : '', error } : 'It is up.'
  }
  await isIdentical(await record({ task: 'Say something.' }, { plugins: [fake(flaky)] }))
  const dead: Script = () => ({ error: new ProviderError('provider_auth', 'no such key', { provider: 'fake' }) })
  const other = fake(() => 'From the other one.', 'other')
  const fallback = { plugins: [fake(dead), other], fallback: ['other/small'] }
  const saved = await record({ task: 'Say something.' }, fallback)
  assert.is(saved.result.summary, 'From the other one.')
  await isIdentical(saved)
  const failed = await record({ task: 'Say something.' }, { plugins: [fake(dead)] })
  assert.is(failed.result.status, 'failed')
  await isIdentical(failed)
})

test('what people answered is not asked again', async () => {
  const script: Script = ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'Heated.' : { toolCalls: [{ tool: 'oven', args: { degrees: 180 } }] }
  for (const decision of ['approve', 'deny', 'edit'] as const) {
    const recorded = await record(
      { task: 'Heat the oven.', approval: 'wait' },
      { plugins: [fake(script), kitchen()] },
      async (runtime, id) => {
        await runtime.runs.wait(id)
        const [approval] = (await runtime.approvals.list()).data
        const edited = decision === 'edit' ? { args: { degrees: 20 } } : {}
        await runtime.approvals.resolve(approval?.id ?? '', { decision, ...edited })
      },
    )
    await isIdentical(recorded)
  }
  await isIdentical(await record({ task: 'Heat the oven.' }, { plugins: [fake(script), kitchen()] }))
})

test('a run of many turns with a profile of its own is gone over', async () => {
  const script: Script = (_, index) =>
    index < 30 ? { toolCalls: [{ tool: 'clock', args: { zone: `UTC+${index}` } }] } : 'Done.'
  const agents = [{ name: 'patient', instructions: 'Look at each clock.', budget: { maxSteps: 80 } }]
  const recorded = await record(
    { task: 'Look at all clocks.', agents, tokenBudget: 1_000_000 },
    { plugins: [fake(script), kitchen()] },
  )
  assert.is(recorded.result.summary, 'Done.')
  await isIdentical(recorded)
})

test('limits, plans, structured answers and other modes are gone over', async () => {
  const long: Script = () => ({ text: 'word '.repeat(400), toolCalls: [{ tool: 'clock', args: {} }] })
  await isIdentical(
    await record({ task: 'Count.', budget: { maxTokens: 3_000 } }, { plugins: [fake(long), kitchen()] }),
  )
  await isIdentical(await record({ task: 'Count.', budget: { maxSteps: 2 } }, { plugins: [fake(long), kitchen()] }))
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const json = fake(() => '{"n":4}')
  await isIdentical(await record({ task: 'Two and two?', outputSchema }, { plugins: [json] }))
  await isIdentical(await record({ task: 'Two and two?', mode: 'plan' }, { plugins: [json] }))
  await isIdentical(await record({ task: 'Two and two?', mode: 'analyze' }, { plugins: [json] }))
})

test('what a thread and the memory held is in the recording', async () => {
  const file = join(folder(), 'run.svcrun')
  const plugins = [fake(({ messages }) => `seen ${JSON.stringify(messages).length} characters`)]
  const runtime = await createRuntime(
    { model: 'fake/small', plugins },
    { env: {}, persist: false, workspace: folder() },
  )
  await runtime.memory.write({ content: 'The office opens at nine.', layer: 'long-term', kind: 'fact' })
  const { id: threadId } = await runtime.threads.create({})
  const first = await runtime.runs.create({ task: 'My name is Ada.', threadId })
  await runtime.runs.wait(first.id)
  const second = await runtime.runs.create({ task: 'When does the office open?', threadId })
  await runtime.runs.wait(second.id)
  const chunks: Uint8Array[] = []
  for await (const bytes of runtime.runs.export(second.id)) chunks.push(bytes)
  writeFileSync(file, Buffer.concat(chunks))
  assert.match(readFileSync(file, 'utf8'), /The office opens at nine/)
  await runtime.close()
  const again = await replayed(file)
  assert.ok(again.identical, JSON.stringify(differing(again)))
})

test('a run that was cancelled is gone over as far as it went', async () => {
  const recorded = await record(
    { task: 'Wait.' },
    { plugins: [fake(() => ({ text: 'late', delayMs: 60_000 }))] },
    async (runtime, id) => {
      while (
        !(await collect(runtime.runs.events(id, { deltas: false, signal: AbortSignal.timeout(100) }))).includes(
          'model.started',
        )
      ) {}
      await runtime.runs.cancel(id, 'enough')
    },
  )
  assert.is(recorded.result.status, 'cancelled')
  await isIdentical(recorded)
})

async function collect(events: AsyncIterable<RunEvent>): Promise<string[]> {
  const types: string[] = []
  try {
    for await (const { type } of events) types.push(type)
  } catch {
    // The signal ends it.
  }
  return types
}

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
        await isIdentical(await record({ task, topology: shape, riskLevel }, { plugins: [fake(script), kitchen()] }))
      },
    ),
    { numRuns: 25 },
  )
  // What differs says more than which script it was.
  await check.catch((thrown: Error) => {
    throw new Error(`${thrown.message}\n${String(thrown.cause)}`)
  })
})

test('a swapped component that asks the same is answered; one that asks otherwise hears how it differs', async () => {
  const recorded = await record({ task: 'What time is it?' }, { plugins: [fake(toolsThenText), kitchen()] })
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
  const recorded = await record({ task: 'What time is it?' }, { plugins: [fake(toolsThenText), kitchen()] })
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
  const runtime = await createRuntime(config, { env: {}, persist: false, workspace: folder(), cassette })
  const { id } = await runtime.runs.create({ task: 'What time is it?' })
  await runtime.runs.wait(id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  const marks: (boolean | undefined)[] = []
  for await (const { type, data } of runtime.runs.events(id, { deltas: false }))
    if (type === 'model.completed') marks.push(data.recorded)
  const chunks: Uint8Array[] = []
  for await (const bytes of runtime.runs.export(id)) chunks.push(bytes)
  await runtime.close()
  const file = join(folder(), 'filled.svcrun')
  writeFileSync(file, Buffer.concat(chunks))
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
  const file = join(folder(), 'run.svcrun')
  const plugins = [fake(() => `The key is ${canary}.`)]
  const config = {
    model: 'fake/small',
    plugins,
    providers: { extra: { type: 'openai', baseUrl: 'http://127.0.0.1:1/v1', headers: { 'x-key': canary } } },
  }
  const runtime = await createRuntime(config, { env: { OPENAI_API_KEY: canary }, persist: false, workspace: folder() })
  const { id } = await runtime.runs.create({ task: `Use ${canary} to log in.`, context: canary, metadata: { canary } })
  await runtime.runs.wait(id)
  const chunks: Uint8Array[] = []
  for await (const bytes of runtime.runs.export(id)) chunks.push(bytes)
  await runtime.close()
  writeFileSync(file, Buffer.concat(chunks))
  assert.not.match(readFileSync(file, 'utf8'), /canary-0123/)
  const again = await replayed(file)
  assert.is((again.result as ExecutionResult).summary, 'The key is [redacted].')
})

test('a file that is no recording, was changed or cut, or is of a newer svc is refused', async () => {
  const { file } = await record({ task: 'Say something.' }, { plugins: [fake(() => 'Something.')] })
  const whole = readFileSync(file, 'utf8')
  const refused = async (text: string): Promise<string> => {
    const path = join(folder(), 'changed.svcrun')
    writeFileSync(path, text)
    return codeOf(openCassette(path, 'strict'))
  }
  assert.match(await refused(whole.replaceAll('Something.', 'Nothing.')), /validation_failed.*not as it was written/)
  assert.match(await refused(whole.slice(0, whole.length / 2)), /validation_failed.*cut/)
  assert.match(await refused(whole.replace('"svcRun":2', '"svcRun":3')), /validation_failed.*newer svc/)
  assert.match(await refused('{"recordings":[]}\n'), /validation_failed.*no exported run/)
  assert.match(await refused(''), /validation_failed.*empty/)
  assert.match(
    await codeOf(openCassette(join(folder(), 'none'), 'strict')),
    /validation_failed.*cannot be read: ENOENT/,
  )
})

test('a plugin of the recorded run that is not here is named', async () => {
  const named = definePlugin('careful', ({ hooks }) => {
    hooks.analyze.tap('careful', () => undefined)
  })
  const { file } = await record({ task: 'Say something.' }, { plugins: [fake(() => 'Something.'), named()] })
  assert.match(await codeOf(replayed(file)), /plugin_load_failed.*"careful"/)
  assert.ok((await replayed(file, [named()])).identical)
})

test.run()
