/**
 * AdaptiveOrchestrator, on made-up work (it needs no data): how near its schedule comes to the shortest possible one on
 * 3,000 random graphs, how many of a planner's broken answers end in a plan that can be executed, and how many runs
 * come to the right answer although tools fail, arguments are no JSON and an agent is dead.
 */
import type { Row } from './lib/row.ts'
import { measureFuzzedPlans } from './orchestrator/fuzzed-plans.ts'
import { measureMakespan } from './orchestrator/makespan.ts'
import { measureRecovery } from './orchestrator/recovery.ts'

export default async function measure(): Promise<Row[]> {
  return [...measureMakespan(), await measureFuzzedPlans(), ...(await measureRecovery())]
}
