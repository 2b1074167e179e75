import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunRow } from '../src/contracts/store/store.ts'
import { summarizeRuns } from '../src/runtime/runs/service/list-runs.ts'
import { createMemoryStore } from '../src/runtime/stores/memory-store.ts'

const test = suite('a summary of runs')

const start = Date.parse('2024-05-01T12:00:00.000Z')

/** A run that took so many milliseconds, of so many tokens. */
const rowOf = (n: number): RunRow => ({
  id: `run_${n}`,
  status: n % 4 === 0 ? 'failed' : 'completed',
  mode: 'execute',
  task: 'a task',
  recoveries: 0,
  version: 1,
  createdAt: new Date(start).toISOString(),
  startedAt: new Date(start).toISOString(),
  finishedAt: new Date(start + n).toISOString(),
  lastSeq: 0,
  agents: [],
  usage: { inputTokens: n, outputTokens: 1, estimated: false, modelCalls: 1 },
  costUsd: n % 2 === 0 ? 0.5 : null,
  links: {},
  format: 1,
  create: { task: 'a task' },
  configHash: 'hash',
})

test('of a store without one is made page by page, and durations are those of the newest thousand', async () => {
  const store = createMemoryStore({ keepRuns: 2_000 })
  for (let n = 1; n <= 1_200; n++) await store.create(rowOf(n), [])
  const { byStatus, ...all } = await summarizeRuns(store, {})
  assert.equal(all, {
    total: 1_200,
    tokens: (1_200 * 1_201) / 2 + 1_200,
    costUsd: 300,
    unpriced: 600,
    durationMs: { p50: 700, p95: 1_150 },
  })
  assert.equal([byStatus.completed, byStatus.failed, byStatus.queued], [900, 300, 0])
  const three = await summarizeRuns(store, { maxTokens: 4 })
  assert.equal([three.total, three.durationMs, three.costUsd], [3, { p50: 2, p95: 3 }, 0.5])
  assert.equal([(await summarizeRuns(store, { maxTokens: 2 })).costUsd], [null])
})

test.run()
