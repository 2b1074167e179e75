import type { ExecutionResult } from '@svc/core'
import type { TaskInput } from './design/experiment-schema.ts'
import type { Faults } from './design/faults.ts'
import type { Scorer } from './scorers/scorer.ts'

/**
 * Tries a scorer on the expected answer of each task, or on an empty one: what would fail after the runs were paid is found
 * before. One that costs something is only checked.
 *
 * @param places where each task stands
 */
export async function tryScorer(
  scorer: Scorer,
  tasks: readonly TaskInput[],
  places: ReadonlyMap<TaskInput, string>,
  faults: Faults,
): Promise<void> {
  for (const task of tasks) {
    const wrong = scorer.check(task)
    if (wrong !== undefined) faults.add(places.get(task) ?? '/tasks', `(${task.id}) ${wrong}`)
    else if (scorer.isCostly !== true) {
      const { expected } = task
      try {
        await scorer.score({
          task: task.task,
          expected,
          result: toSample(expected),
          events: [],
          id: task.id,
          input: task,
          workspace: undefined,
          signal: AbortSignal.timeout(60_000),
        })
      } catch (thrown) {
        const said = thrown instanceof Error ? thrown.message : String(thrown)
        faults.add('/scorer', `fails on the expected answer of task ${task.id}: ${said}`)
        // It fails on others as well.
        return
      }
    }
  }
}

/** The result of a run that answered so. */
export function toSample(expected: unknown): ExecutionResult {
  const none = { inputTokens: 0, outputTokens: 0, estimated: false, modelCalls: 0 }
  return {
    runId: 'run_sample',
    status: 'completed',
    verdict: 'unverified',
    claims: [],
    summary: expected === undefined ? '' : typeof expected === 'string' ? expected : JSON.stringify(expected),
    steps: [],
    agents: [],
    artifacts: [],
    toolCalls: { total: 0, failed: 0, denied: 0 },
    usage: none,
    costUsd: 0,
    timing: { queuedMs: 0, durationMs: 0 },
    warnings: [],
    traceId: '0'.repeat(32),
    links: {},
  }
}
