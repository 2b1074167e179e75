/** Model servers of real life, each played by a small server: a run over them ends with its answer. */
import type { ExecutionResult, ProviderConfig, RunCreate, Runtime } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { ANSWER, ENDPOINTS, playEndpoint, QUESTION } from './fixtures/endpoints.ts'
import { type FakeServer, startFakeServer } from './fixtures/fake-server.ts'
import { eventsOf } from './fixtures/runs.ts'

const test = suite('endpoints of real life')

interface Asked {
  result: ExecutionResult
  /** Requests to the server. */
  calls: number
  learnt: string[]
}

async function open(server: FakeServer, more: Partial<ProviderConfig> = {}): Promise<Runtime> {
  const house = { type: 'openai', baseUrl: `${server.url}/v1`, defaultModel: 'm', ...more }
  return createRuntime({ providers: { house }, model: 'house/m' }, { env: {} })
}

async function run(
  runtime: Runtime,
  server: FakeServer,
  isWatched: boolean,
  more: Partial<RunCreate> = {},
): Promise<Asked> {
  const before = server.seen.length
  const task = { task: QUESTION, topology: 'SINGLE', reflect: false, tools: { allow: ['calculate'] }, ...more }
  const { id } = await runtime.runs.create(task, { deltas: isWatched })
  await runtime.runs.wait(id)
  const events = await eventsOf(runtime, id)
  const learnt = events.flatMap(({ type, data }) => (type === 'model.adapted' ? data.learnt : []))
  const result = (await runtime.runs.result(id)) as ExecutionResult
  return { result, calls: server.seen.length - before, learnt }
}

/** What makes the refusals of the table possible. */
const DEMANDS: Readonly<Record<string, { run?: Partial<RunCreate>; provider?: Partial<ProviderConfig> }>> = {
  'the model demands max_completion_tokens': { provider: { models: { m: { maxOutput: 3000 } } } },
  'the output limit is larger than the model takes': { provider: { models: { m: { maxOutput: 8000 } } } },
  'temperature refused': { run: { agents: [{ name: 'Cool', temperature: 0.2 }] } },
  'response_format together with tools refused': {
    run: { outputSchema: { type: 'string' } },
  },
}

for (const endpoint of ENDPOINTS) {
  for (const isWatched of [true, false]) {
    test(`${endpoint.name}, ${isWatched ? 'streamed' : 'whole'}`, async () => {
      const server = await startFakeServer()
      server.answer(playEndpoint(endpoint))
      const demand = DEMANDS[endpoint.name] ?? {}
      const runtime = await open(server, demand.provider)
      try {
        const first = await run(runtime, server, isWatched, demand.run)
        assert.equal([first.result.status, first.result.error], ['completed', undefined])
        assert.is(first.result.summary.replaceAll('"', ''), ANSWER)
        assert.is(first.result.toolCalls.total, 1)
        const again = await run(runtime, server, isWatched, demand.run)
        assert.is(again.result.status, 'completed')
        assert.equal(again.learnt, [], 'what was learnt is remembered')
        assert.is(again.calls, 2, 'nothing is asked in vain again')
        assert.equal(first.learnt.sort(), endpoint.isOfStreams && !isWatched ? [] : [...endpoint.learns].sort())
      } finally {
        await runtime.close()
        await server.close()
      }
    })
  }
}

test.run()
