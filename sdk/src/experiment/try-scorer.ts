import type { ExecutionResult, FieldError } from '@svc/core'
import { throwIfAny, toPointer } from '@svc/core/config'
import type { TaskInput } from './design/experiment-schema.ts'
import type { ReadExperiment } from './design/read-experiment.ts'
import type { Scorer } from './scorers/scorer.ts'

/**
 * Tries a scorer on the expected answer of each task, or on an empty one: what would fail after the runs were paid is found
 * before. One that costs something is only checked.
 *
 * @throws ConfigError `config_invalid` naming the task
 */
export async function tryScorer(
  scorer: Scorer,
  { file, input, tasks: all }: ReadExperiment,
  tasks: readonly TaskInput[],
): Promise<void> {
  const errors: FieldError[] = []
  const source = typeof input.tasks === 'string' ? `${file} (${input.tasks})` : file
  for (const task of tasks) {
    const path = toPointer('/tasks', all.indexOf(task))
    const wrong = scorer.check(task)
    if (wrong !== undefined) errors.push({ path, message: `(${task.id}) ${wrong}` })
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
        errors.push({ path: '/scorer', message: `fails on the expected answer of task ${task.id}: ${said}` })
      }
    }
    if (errors.length > 10) break
  }
  throwIfAny(errors, source)
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
