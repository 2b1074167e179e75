/** One word for how a run stands: the run, lists, summaries, the log and metrics agree. */
import { definePlugin, type ExecutionResult, ProviderError, type Run } from '@svc/core'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { createGate, until } from './fixtures/until.ts'

const test = serverSuite('states of runs')

const CASES = {
  'Tell me of the crane': { create: {}, status: 'completed', verdict: 'unverified' },
  'Tell me of the harbour': { create: { strict: true }, status: 'incomplete', verdict: 'unverified' },
  'What is 17 * 23?': { create: {}, status: 'incomplete', verdict: 'fail' },
  'Break down': { create: {}, status: 'failed', verdict: 'unverified' },
  'Plan it': { create: { mode: 'plan' }, status: 'completed', verdict: undefined },
} as const

test('a run is shown with the fields that the description of the server has, and no other', async () => {
  const world = await openServer({ script: () => 'Nothing is known of it.' })
  const { json: run } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Tell me of the crane' } })
  const listed = (await world.ask('GET', '/v1/runs')).json.data as Record<string, unknown>[]
  const { schemas } = (await world.ask('GET', '/openapi.json')).json.components as {
    schemas: { Run: { properties: object } }
  }
  for (const shown of [run, ...listed])
    assert.equal(
      Object.keys(shown).filter((field) => !(field in schemas.Run.properties)),
      [],
    )
  await world.close()
})

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
    'mode="execute",status="failed",verdict="unverified"} 1',
    'mode="plan",status="completed",verdict=""} 1',
  ])
    assert.match(text, `svc_runs_total{${labels}`)
})

test('a budget with which no agent can work is bad input, and makes no run', async () => {
  const world = await openServer({ script: () => 'done' })
  for (const [path, body] of [
    ['/v1/runs', { tokenBudget: 10 }],
    ['/v1/runs?wait=60000', { tokenBudget: 1023 }],
    ['/v1/runs', { tokenBudget: 10, mode: 'plan' }],
  ] as const) {
    const { status, json } = await world.ask('POST', path, { body: { task: 'Too little', ...body } })
    assert.equal([status, json.code], [400, 'budget_too_small'], path)
    assert.match(String(json.detail), /a budget of \d+ tokens is too small: one agent needs at least 1024/)
  }
  assert.equal((await world.ask('GET', '/v1/runs')).json.data, [])
  const enough = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Enough', tokenBudget: 1024 } })
  assert.ok(enough.status < 300)
  const analysis = await world.ask('POST', '/v1/runs?wait=60000', {
    body: { task: 'Enough', mode: 'analyze', tokenBudget: 10 },
  })
  assert.ok(analysis.status < 300, 'an analysis spends nothing')
})

test('where a plugin of its own allocates, the run shows what is enough', async () => {
  const allocates = definePlugin('allocates', ({ hooks }) => {
    hooks.allocate.tap('allocates', () => ({
      total: 10,
      topology: 'SINGLE',
      shares: [{ agentId: 'agent-1', role: 'worker', tokens: 10 }],
      reserves: { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final: 0, contingency: 0 },
      underfunded: true,
      explanation: [],
    }))
  })()
  const world = await openServer({ script: () => 'done', plugins: [allocates] })
  const { status } = await world.ask('POST', '/v1/runs?wait=60000', { body: { task: 'Little', tokenBudget: 10 } })
  assert.ok(status < 300)
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

test('who waits for the client of its run is not at work, and is again once it has the results', async () => {
  const mayEnd = createGate()
  const world = await openServer({
    script: async ({ messages }) => {
      if (messages.every(({ role }) => role !== 'tool'))
        return { toolCalls: [{ tool: 'client.get_weather', args: { city: 'Bonn' } }] }
      await mayEnd.passed
      return 'It rains.'
    },
  })
  const { runs } = world.runtime
  const clientTools = [{ name: 'get_weather' }]
  const { id } = await runs.create({ task: 'Weather in Bonn?', topology: 'SINGLE', clientTools })
  const waiting = await runs.wait(id)
  assert.equal([waiting.status, ...waiting.agents.map(({ status }) => status)], ['waiting', 'waiting'])
  await runs.resume(id, { results: [{ id: waiting.waiting?.calls?.[0]?.id ?? '', content: 'rain' }] })
  await until(async () => (await runs.get(id)).status === 'running')
  assert.equal(
    (await runs.get(id)).agents.map(({ status }) => status),
    ['running'],
  )
  mayEnd.open()
  assert.is((await runs.wait(id)).status, 'completed')
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
