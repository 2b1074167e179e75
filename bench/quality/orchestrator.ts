/**
 * AdaptiveOrchestrator, on made-up work (it needs no data): how near its schedule comes to the shortest possible one on
 * 3,000 random graphs, and how many runs come to the right answer although tools fail, arguments are no JSON and an agent is
 * dead.
 */
import type { Row } from './lib/row.ts'
import { measureMakespan } from './orchestrator/makespan.ts'
import { measureRecovery } from './orchestrator/recovery.ts'

export default async function measure(): Promise<Row[]> {
  return [...measureMakespan(), ...(await measureRecovery())]
}
