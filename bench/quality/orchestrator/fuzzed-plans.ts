import { AdaptiveOrchestrator, type Plan, TOPOLOGIES } from '@svc/core'
import { flawsOf, mutate } from '../../../core/test/fixtures/fuzzed-plans.ts'
import { allocation, complexity } from '../../../core/test/fixtures/plans.ts'
import { scriptRun } from '../../../core/test/fixtures/scripted-run.ts'
import { seeded } from '../lib/bootstrap.ts'
import type { Row } from '../lib/row.ts'

const ANSWERS = 3_000
const TASK = { id: 'task-1', description: 'Compare Oslo, Lima and Cairo by the price of a hotel night' }

/** A planner whose every answer is broken at random: is what comes of it a plan that can be executed? */
export async function measureFuzzedPlans(): Promise<Row> {
  const random = seeded(7)
  const orchestrator = new AdaptiveOrchestrator({ llm: true })
  const sources = new Map<Plan['source'], number>()
  let valid = 0
  for (let index = 0; index < ANSWERS; index++) {
    const topology = TOPOLOGIES[index % TOPOLOGIES.length] ?? 'PARALLEL'
    const run = scriptRun({ model: () => mutate(random), tools: { lookup: { run: () => 'found' } } })
    try {
      const plan = await orchestrator.planAsync(TASK, complexity(topology), allocation(topology, 3), run, run)
      sources.set(plan.source, (sources.get(plan.source) ?? 0) + 1)
      if (flawsOf(plan, ['lookup']).length === 0) valid++
    } catch {
      // A planner that throws has made no valid plan.
    }
  }
  const shares = [...sources].map(([source, count]) => `${source} ${count}`).join(', ')
  return {
    component: 'orchestrator',
    measure: 'valid plans from broken answers of a planner',
    n: ANSWERS,
    baseline: null,
    value: valid / ANSWERS,
    low: null,
    high: null,
    aim: 1,
    note: `${shares}; answers broken in 1 to 4 places of 16 kinds: wrong types, lost fields, unknown ids, cycles, doubles, 200 steps, cut or wrapped JSON`,
  }
}
