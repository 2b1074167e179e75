/**
 * Measures the processor time of the analysis and of the deterministic plan of a request that one agent answers, alone:
 * no runtime, no model. Warm: 5,000 calls before, then 20 batches of 250, of which the second fastest counts.
 */
import { AdaptiveOrchestrator, TaskComplexityAnalyzer, TokenBudgetAllocator } from '@svc/core'
import { cpuOf, toRow } from './measure.mjs'

const WARM_UP = 5000
const BATCHES = 20
const BATCH = 250
const REQUESTS = {
  'one clause': 'Summarise README.md',
  'two clauses': 'Look up the key k17 with the lookup tool and answer with its value.',
}

export async function measure() {
  const analyzer = new TaskComplexityAnalyzer()
  const allocator = new TokenBudgetAllocator()
  const orchestrator = new AdaptiveOrchestrator()
  const rows = []
  for (const [name, description] of Object.entries(REQUESTS)) {
    const task = { id: 'task-1', description }
    const complexity = analyzer.analyze(task)
    const allocation = allocator.allocate(complexity.recommendedTopology, complexity.score, complexity.agents)
    rows.push(
      toRow({ name: `analyze, ${name}`, value: await fast(() => analyzer.analyze(task)), unit: 'µs' }),
      toRow({
        name: `plan, ${name}`,
        value: await fast(() => orchestrator.planAsync(task, complexity, allocation)),
        unit: 'µs',
      }),
    )
  }
  return rows
}

/** Microseconds of one call. */
async function fast(work) {
  const repeat = async (times) => {
    for (let call = 0; call < times; call++) await work()
  }
  await repeat(WARM_UP)
  const times = []
  for (let batch = 0; batch < BATCHES; batch++) times.push((await cpuOf(() => repeat(BATCH))) / BATCH)
  return times.sort((a, b) => a - b)[1]
}
