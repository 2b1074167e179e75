import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  AdaptiveOrchestrator,
  definePlugin,
  type Execution,
  type ExecutionResult,
  LimitError,
  type ModelRequest,
  ProviderError,
  type RunEvent,
  startRuntime,
  toText,
} from '../src/index.ts'
import { scriptedProvider } from '../src/testing/index.ts'
import { planOf, step } from './fixtures/plans.ts'
import { call, type Script, type ScriptedRun, scriptRun } from './fixtures/scripted-run.ts'
import { tiny } from './fixtures/tiny-plugins.ts'

const test = suite('compaction')

const PAGE = 'a page with some words on it '.repeat(24)
const PAGES = 20
const asksForSummary = ({ messages }: Pick<ModelRequest, 'messages'>): boolean =>
  toText(messages[0]?.content ?? []).startsWith('You summarise')
const hasSummary = ({ messages }: Pick<ModelRequest, 'messages'>): boolean =>
  messages.some(({ role, content }) => role === 'user' && toText(content).includes('<summary>'))
const plan = () => planOf([step('a', [], { tools: ['lookup'], objective: 'Read all pages.' })], 'SINGLE')

/**
 * A model that reads page after page, then answers; its script runs in a real runtime with a small window.
 *
 * @param said to the run while it reads the second page
 */
async function readPages(context: number | undefined, failure?: Error, said?: string) {
  let page = 0
  const provider = scriptedProvider(
    'scripted',
    (request) => {
      if (asksForSummary(request)) return failure ? { error: failure } : '## Done\nread the first pages'
      return page < PAGES ? { toolCalls: [{ tool: 'lookup', args: { page: ++page } }] } : 'All pages are read.'
    },
    { models: [{ id: 'scripted', tools: true, ...(context === undefined ? {} : { context }) }] },
  )
  let execution: Execution | undefined
  const windows: (number | undefined)[] = []
  const host = definePlugin('host', ({ providers, tools }) => {
    providers.add('scripted', provider)
    tools.add('lookup', {
      id: 'lookup',
      description: 'Looks up a page.',
      parameters: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
      risk: 'read',
      async run(args) {
        const { page } = args as { page: number }
        if (page === 2 && said !== undefined) await runtime.runs.steer(id, { text: said })
        return `page ${page}: ${PAGE}`
      },
    })
  })()
  const orchestrator = tiny({
    execute: async (run) => {
      windows.push(run.contextTokens)
      execution = await new AdaptiveOrchestrator().execute(plan(), run)
      return execution
    },
  })
  const runtime = await startRuntime({
    plugins: [{ plugin: host }, { plugin: orchestrator }],
    defaultModel: 'scripted',
  })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: 'Read all pages.', budget: { maxTokens: 1_000_000 } })
  await runtime.runs.wait(id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  await runtime.close()
  const { requests } = provider
  return { result, execution, events, requests, windows, summaries: requests.filter(asksForSummary) }
}

test('a long tool loop in a small window is summed up, at most once in ten turns, and finishes', async () => {
  const { result, requests, summaries, windows } = await readPages(2_000)
  assert.equal(windows, [2_000])
  assert.equal([result.status, result.summary], ['completed', 'All pages are read.'])
  assert.is(summaries.length, 2)
  const at = requests.flatMap((request, index) => (asksForSummary(request) ? [index] : []))
  assert.ok((at[1] ?? 0) - (at[0] ?? 0) > 10, String(at))
  for (const { stream, maxOutputTokens, tools } of summaries) {
    assert.equal(
      [stream, tools, (maxOutputTokens ?? 0) > 0 && (maxOutputTokens ?? 0) <= 1_024],
      [false, undefined, true],
    )
  }
  const last = requests.at(-1)?.messages ?? []
  assert.equal(last.filter(({ role, content }) => role === 'user' && toText(content).includes('<summary>')).length, 1)
  assert.match(toText(last[1]?.content ?? []), 'Read all pages.')
  assert.not(result.warnings.some(({ code }) => code === 'compaction_failed'))
})

test('what a person says to the run stands as it was said when the turns around it are summed up', async () => {
  const said = 'Write it in capitals.'
  const { requests, summaries } = await readPages(2_000, undefined, said)
  assert.is(summaries.length, 2)
  const told = (requests.at(-1)?.messages ?? []).filter(({ content }) => toText(content).endsWith(said))
  assert.equal(
    told.map(({ role }) => role),
    ['user'],
  )
})

test('every request keeps its calls paired with their results', async () => {
  const { requests } = await readPages(2_000)
  for (const { messages } of requests) {
    const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ callId }) => callId))
    const results = messages.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]))
    assert.equal(results, calls)
  }
})

test('a window that is large, or not known, is left alone', async () => {
  for (const context of [200_000, undefined]) {
    const { summaries, windows } = await readPages(context)
    assert.equal([summaries.length, windows], [0, [context]])
  }
})

test('a summary that fails leaves the masked messages and a warning', async () => {
  const failure = new ProviderError('content_filtered', 'no summaries today', { provider: 'scripted' })
  const { result, requests, summaries } = await readPages(2_000, failure)
  assert.equal([result.status, result.summary], ['completed', 'All pages are read.'])
  assert.ok(summaries.length >= 1)
  assert.not(requests.some(hasSummary))
  assert.match(toText(requests.at(-1)?.messages[3]?.content ?? []), 'output omitted')
  const [warning] = result.warnings.filter(({ code }) => code === 'compaction_failed')
  assert.match(warning?.message ?? '', 'no summaries today')
})

/** The same loop in a run without runtime, whose window and answers to the question for a summary are given. */
async function loop(summary: Script['model'], more: Partial<ScriptedRun> = {}) {
  const scripted = scriptRun({
    model: (request) => {
      if (asksForSummary(request)) return summary(request)
      const page = scripted.requests.filter((asked) => !asksForSummary(asked)).length
      if (page > 12) return 'done'
      return {
        toolCalls: [call('lookup', { page }, `c${page}`)],
        usage: { inputTokens: page * 180, outputTokens: 5, estimated: false },
      }
    },
    tools: { lookup: { run: () => PAGE } },
  })
  Object.assign(scripted, { contextTokens: 2_000, ...more })
  const execution = await new AdaptiveOrchestrator().execute(plan(), scripted)
  return { run: scripted, execution, summaries: scripted.requests.filter(asksForSummary) }
}

test('a budget that denies the summary, and an empty summary, do not stop the step', async () => {
  const denied = await loop(() => {
    throw new LimitError('budget_exhausted', 'the hard budget is used up')
  })
  const empty = await loop(() => ' ')
  for (const { run, execution } of [denied, empty]) {
    assert.equal([execution.status, execution.output], ['completed', 'done'])
    assert.ok(run.warnings.length > 0 && run.warnings.every(({ code }) => code === 'compaction_failed'))
  }
  assert.match(denied.run.warnings[0]?.message ?? '', 'budget_exhausted: the hard budget is used up')
  assert.match(empty.run.warnings[0]?.message ?? '', 'the model answered nothing')
  const spent = empty.run.budget.spent()
  assert.equal(empty.execution.steps[0]?.usage.inputTokens, spent.inputTokens)
})

test('a deterministic model is never asked for a summary', async () => {
  const { summaries, execution, run } = await loop(() => 'never', { deterministic: true })
  assert.equal([summaries.length, execution.output, run.warnings], [0, 'done', []])
})

test.run()
