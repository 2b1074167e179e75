import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ExecutionResult, ModelPart, ModelProvider, Plugin, RunEvent, Runtime, SvcError } from '../src/index.ts'
import { CancelledError, ConfigError, ConsensusChecker, createMemoryStore, definePlugin } from '../src/index.ts'
import { type ScriptedProvider, scriptedProvider } from '../src/testing/index.ts'
import { codeOf, start as started, until } from './fixtures/runtimes.ts'
import { complexity, execution, tiny } from './fixtures/tiny-plugins.ts'

const model = (provider: ScriptedProvider): Plugin =>
  definePlugin('model', ({ providers }) => providers.add(provider.id, provider))()

const echo = (): ScriptedProvider =>
  scriptedProvider('scripted', () => ({ text: 'an answer', usage: { inputTokens: 10, outputTokens: 5 } }))

async function finish(runtime: Runtime, task = 'say something', options: object = {}): Promise<ExecutionResult> {
  const { id } = await runtime.runs.create({ task, ...options })
  await runtime.runs.wait(id)
  return (await runtime.runs.result(id)) as ExecutionResult
}

const pipeline = suite('pipeline')

pipeline(
  'walks analyze, allocate, plan and execute, and leaves stages that nobody answers out of the result',
  async () => {
    const runtime = await started([tiny(), model(echo())])
    const result = await finish(runtime)
    assert.is(result.status, 'completed')
    assert.is(result.summary, 'an answer')
    assert.is(result.reflection, undefined)
    assert.is(result.usage.inputTokens, 10)
    assert.is(result.usage.outputTokens, 5)
    assert.is(result.usage.modelCalls, 1)
    await runtime.close()
  },
)

pipeline('says by how much a run went beyond its budget', async () => {
  const greedy = scriptedProvider('scripted', () => ({
    text: 'long',
    usage: { inputTokens: 1_500, outputTokens: 700 },
  }))
  const runtime = await started([tiny(), model(greedy)])
  const warningsOf = async (options: object): Promise<string[]> =>
    (await finish(runtime, 'say something', options)).warnings.map(({ code, message }) => `${code}: ${message}`)
  assert.equal(await warningsOf({ tokenBudget: 2_200 }), [])
  assert.equal(await warningsOf({ tokenBudget: 2_000 }), [
    'budget_overshot: the run was charged 2200 tokens, 200 more than its budget of 2000',
  ])
  assert.equal(await warningsOf({ tokenBudget: 1_000 }), [
    'budget_overshot: the run was charged 2200 tokens, 200 more than its hard limit of 2000',
  ])
  await runtime.close()
})

pipeline('writes each event before anybody hears of it', async () => {
  const store = createMemoryStore()
  const heard: RunEvent[] = []
  const early: string[] = []
  const runtime = await started([tiny(), model(echo())], { store })
  runtime.onEvent((event) => {
    heard.push(event)
    const stored = store.events.list(event.runId) as RunEvent[]
    if (event.seq !== undefined && stored[event.seq - 1] !== event) early.push(event.type)
  })
  const { runId } = await finish(runtime)
  const kept = heard.filter(({ seq }) => seq !== undefined)
  assert.equal(early, [], 'heard before they were written')
  assert.equal(kept, await store.events.list(runId))
  assert.equal(
    kept.map(({ seq }) => seq),
    kept.map((_, index) => index + 1),
  )
  await runtime.close()
})

pipeline('fails with the plugin and the stage when a tap throws', async () => {
  for (const stage of ['analyze', 'allocate', 'plan', 'execute'] as const) {
    const broken = definePlugin('broken', ({ hooks }) => {
      const tap = (): never => {
        throw new Error('boom')
      }
      hooks[stage].tap('broken', tap)
    })()
    const result = await finish(await started([broken, tiny(), model(echo())]))
    assert.is(result.status, 'failed')
    assert.is(result.error?.code, 'plugin_failed')
    assert.match(result.error?.message ?? '', `plugin "broken" failed in ${stage}: boom`)
  }
})

pipeline('turns a failure of reflect, consensus or inspect into a warning and an event', async () => {
  for (const stage of ['reflect', 'consensus', 'inspect'] as const) {
    const broken = definePlugin('broken', ({ hooks }) => {
      const tap = (): never => {
        throw new Error('boom')
      }
      hooks[stage].tap('broken', tap)
    })()
    const runtime = await started([broken, tiny(), model(echo())])
    const seen: RunEvent[] = []
    runtime.onEvent((event) => seen.push(event))
    const result = await finish(runtime)
    assert.is(result.status, 'completed')
    assert.ok(result.warnings.some(({ code }) => code === 'plugin_failed'))
    assert.ok(seen.some(({ type, data }) => type === 'plugin.error' && data.stage === stage))
  }
})

pipeline('leaves the answer where votes do not agree, with a warning that names what becomes of it', async () => {
  const usage = { inputTokens: 1, outputTokens: 1, estimated: false }
  const votes = [1, 1, 1, 2, 2].map((answer, n) => ({ voter: `voter-${n}`, family: 'one', answer, usage }))
  for (const [risk, code] of [
    ['medium', 'consensus_not_reached'],
    ['high', 'consensus_escalated'],
  ] as const) {
    const split = definePlugin('split', ({ hooks }) =>
      hooks.consensus.tap('split', () => new ConsensusChecker().tally(votes, risk, 'number')),
    )()
    const { summary, warnings } = await finish(await started([split, tiny(), model(echo())]))
    assert.is(summary, 'an answer')
    assert.ok(warnings.some((warning) => warning.code === code))
  }
})

pipeline('says with a pointer what is wrong with an answer of the wrong shape', async () => {
  const wrong = definePlugin('wrong', ({ hooks }) =>
    hooks.analyze.tap('wrong', () => ({ ...complexity(), score: 2 })),
  )()
  const result = await finish(await started([wrong, tiny(), model(echo())]))
  assert.is(result.error?.code, 'plugin_answer_invalid')
  assert.is(result.error?.message, 'plugin "wrong" failed in analyze: /score must be <= 1')
})

pipeline('fails a stage that nobody answers', async () => {
  const result = await finish(await started([model(echo())]))
  assert.is(result.error?.code, 'stage_unanswered')
})

pipeline('gives up on a tap that never settles', async () => {
  const hanging = definePlugin('hanging', ({ hooks }) =>
    hooks.plan.tapPromise('hanging', () => new Promise(() => {})),
  )()
  const result = await finish(await started([hanging, tiny(), model(echo())], { tapTimeoutMs: 30 }))
  assert.is(result.error?.code, 'plugin_timeout')
  assert.match(result.error?.message ?? '', 'plugin "hanging" did not answer plan')
})

pipeline('refuses two plugins of one name', async () => {
  assert.is(await codeOf(started([tiny(), tiny()])), 'plugin_duplicate')
})

pipeline('goes back to execute once when reflection brings new evidence, and keeps the better answer', async () => {
  const reflecting = (scores: number[]): Plugin =>
    definePlugin('reflecting', ({ hooks }) => {
      hooks.execute.tap('reflecting', (_answer, { previous }) =>
        execution(previous === undefined ? 'first' : `second after ${previous.reflection?.retry?.evidence[0]}`),
      )
      hooks.reflect.tap('reflecting', (_answer, _input, run) => ({
        verdict: run.attempt === 1 ? ('revise' as const) : ('pass' as const),
        score: scores[run.attempt - 1] ?? 0,
        confidence: 1,
        checks: [],
        ...(run.attempt === 1 ? { retry: { reason: 'wrong', hint: 'look', evidence: ['391'] } } : {}),
        lessons: [],
        usage: { inputTokens: 0, outputTokens: 0, estimated: false },
      }))
    })()
  assert.is((await finish(await started([reflecting([0.2, 1]), tiny(), model(echo())]))).summary, 'second after 391')
  assert.is((await finish(await started([reflecting([0.5, 0.1]), tiny(), model(echo())]))).summary, 'first')
})

pipeline('numbers its events without a gap, and an event handler that throws breaks nothing', async () => {
  const runtime = await started([tiny({ steps: 4 }), model(echo())])
  const seqs: number[] = []
  runtime.onEvent(() => {
    throw new Error('a bad listener')
  })
  runtime.onEvent(async () => {
    throw new Error('a bad asynchronous listener')
  })
  runtime.onEvent(({ seq }) => seq !== undefined && seqs.push(seq))
  const result = await finish(runtime)
  assert.is(result.status, 'completed')
  assert.equal(
    seqs,
    seqs.map((_, index) => index + 1),
  )
  assert.is(result.usage.inputTokens, 40)
})

pipeline('hands over what a model had said when the run was stopped in the middle of its answer', async () => {
  let isSaid = false
  const parts = async function* (signal: AbortSignal): AsyncGenerator<ModelPart> {
    yield { type: 'text', text: 'the beginning of ' }
    yield { type: 'text', text: 'an answer' }
    isSaid = true
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const slow: ModelProvider = {
    id: 'scripted',
    models: async () => [{ id: 'scripted' }],
    generate: (_request, { signal }) => parts(signal),
  }
  const provider = definePlugin('model', ({ providers }) => providers.add('scripted', slow))()
  const runtime = await started([tiny(), provider])
  runtime.onEvent(() => {})
  const { id } = await runtime.runs.create({ task: 'wait' })
  await until(() => isSaid)
  await runtime.runs.cancel(id, 'enough')
  await runtime.runs.wait(id)
  assert.is(((await runtime.runs.result(id)) as ExecutionResult).summary, 'the beginning of an answer')
})

pipeline('says what is wrong with a request before there is a run', async () => {
  const runtime = await started([tiny(), model(echo())])
  const create = (request: object): Promise<string> => codeOf(runtime.runs.create(request as { task: string }))
  assert.is(await create({ task: '' }), 'validation_failed')
  assert.is(await create({ task: '   ' }), 'validation_failed')
  assert.is(await create({ task: 'x'.repeat(200_001) }), 'validation_failed')
  assert.is(await create({ task: 'x', topology: 'STAR' }), 'validation_failed')
  assert.is(await create({ task: 'x', model: 'nobody/x' }), 'unknown_provider')
  assert.is(await create({ task: 'x', agents: ['nobody'] }), 'agent_not_found')
  assert.is(await create({ task: 'x', tokenBudget: 0 }), 'validation_failed')
  assert.is(await create({ task: 'x', tokenBudget: 1.5 }), 'validation_failed')
  assert.is(await create({ task: 'x', budget: { maxTokens: -1 } }), 'validation_failed')
  assert.is(await create({ task: 'x', budget: { maxCostUsd: 1 } }), 'validation_failed')
  assert.is(await create({ task: 'x', threadId: 'thr_none' }), 'thread_not_found')
  assert.is(await create({ task: 'x', speed: 'fast' }), 'validation_failed')
})

pipeline('finds a model by its own name also where that begins like a provider that is not set up', async () => {
  const models = [{ id: 'openai/open-model', alias: ['mistral'] }]
  const provider = scriptedProvider('scripted', () => 'an answer', { models })
  const missing = (id: string): SvcError | undefined =>
    ['openai', 'mistral'].includes(id) ? new ConfigError('no_provider', `${id} has no key`) : undefined
  const broken = { kind: 'provider' as const, id: 'house', source: 'house.json' }
  const error = new ConfigError('config_invalid', 'house.json is broken')
  const runtime = await started([tiny(), model(provider)], {
    explainProvider: missing,
    unusable: [{ ...broken, error }],
  })
  assert.is((await finish(runtime, 'say', { model: 'openai/open-model' })).status, 'completed')
  assert.is((await finish(runtime, 'say', { model: 'mistral' })).status, 'completed')
  assert.is(await codeOf(runtime.runs.create({ task: 'x', model: 'openai/other' })), 'no_provider')
  assert.is(await codeOf(runtime.runs.create({ task: 'x', model: 'house/m' })), 'config_invalid')
})

pipeline('hands on an error of the gateways unchanged', async () => {
  const stopping = definePlugin('stopping', ({ hooks }) =>
    hooks.plan.tap('stopping', () => {
      throw new CancelledError('cancelled', 'stop')
    }),
  )()
  assert.is((await finish(await started([stopping, tiny(), model(echo())]))).status, 'cancelled')
})

pipeline.run()
