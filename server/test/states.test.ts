/** One word for how a run stands: the run, lists, summaries, the log and metrics agree. */
import { definePlugin, type ExecutionResult, ProviderError, type Run } from '@svc/core'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { createGate } from './fixtures/until.ts'

const test = serverSuite('states of runs')

const CASES = {
  'Tell me of the crane': { create: {}, status: 'completed', verdict: 'unverified' },
  'Tell me of the harbour': { create: { strict: true }, status: 'incomplete', verdict: 'unverified' },
  'What is 17 * 23?': { create: {}, status: 'incomplete', verdict: 'fail' },
  'Break down': { create: {}, status: 'failed', verdict: 'unverified' },
  'Plan it': { create: { mode: 'plan' }, status: 'completed', verdict: undefined },
  'Too little': { create: { tokenBudget: 10 }, status: 'failed', verdict: 'unverified' },
} as const

test('a run, the lists and the metrics have the same status and verdict', async () => {
  const world = await openServer({
    script: ({ messages }) => {
      const said = JSON.stringify(messages)
      if (said.includes('Break')) throw new ProviderError('provider_unavailable', 'down', { provider: 'scripted' })
      return said.includes('17 * 23') ? '17 * 23 = 392' : 'Nothing is known of it.'
    },
  })
  for (const [task, { create, status, verdict }] of Object.entries(CASES)) {
    const { json } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task, ...create } })
    const run = json as unknown as Run
    const listed = (await world.ask('GET', `/v1/runs?q=${encodeURIComponent(task)}`)).json.data as Run[]
    for (const { status: s, verdict: v } of [run, ...listed]) assert.equal([s, v], [status, verdict], task)
    const result = (await world.ask('GET', `/v1/runs/${run.id}/result`)).json
    assert.equal([result.status, result.verdict], [status, verdict], task)
  }
  const { text } = await world.ask('GET', '/metrics')
  for (const labels of [
    'mode="execute",status="completed",verdict="unverified"} 1',
    'mode="execute",status="incomplete",verdict="unverified"} 1',
    'mode="execute",status="incomplete",verdict="fail"} 1',
    'mode="execute",status="failed",verdict="unverified"} 2',
    'mode="plan",status="completed",verdict=""} 1',
  ])
    assert.match(text, `svc_runs_total{${labels}`)
})

test('a call that nobody had allowed when its run was cancelled was not made, and is not in doubt', async () => {
  const world = await openServer({
    script: () => ({ toolCalls: [{ tool: 'write_file', args: { path: 'a.md', content: 'a' } }] }),
  })
  const { runs } = world.runtime
  const { id } = await runs.create({ task: 'Write it', approval: 'wait' })
  const waiting = await runs.wait(id)
  assert.equal([waiting.status, ...waiting.agents.map(({ status }) => status)], ['waiting', 'waiting'])
  await runs.cancel(id)
  const cancelled = await runs.wait(id)
  assert.equal([cancelled.status, ...cancelled.agents.map(({ status }) => status)], ['cancelled', 'cancelled'])
  const { facts } = (await runs.result(id)) as ExecutionResult
  assert.equal(
    facts?.missed.map(({ target, why, reason }) => [target, why, reason]),
    [['a.md', 'failed', 'the run ended before the call began']],
  )
})

test('a plan that is cancelled is cancelled in its result too', async () => {
  const asked = createGate()
  const hanging = definePlugin('hanging', ({ hooks }) => {
    hooks.plan.tapPromise('hanging', () => {
      asked.open()
      return new Promise(() => {})
    })
  })()
  const { runs } = (await openServer({ plugins: [hanging] })).runtime
  const { id } = await runs.create({ task: 'Plan it', mode: 'plan' })
  await asked.passed
  await runs.cancel(id)
  const { status } = await runs.wait(id)
  const result = (await runs.result(id)) as { status: string }
  assert.equal([status, result.status], ['cancelled', 'cancelled'])
})

test.run()
