import type { RunEvent } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { findThread } from '../find-thread.ts'
import { toSafe } from '../io.ts'
import { sayLeftRuns } from '../left-runs.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { refuseBudget } from '../refuse-budget.ts'
import { renderTrace } from '../render/trace.ts'
import { toRequest } from '../run-request.ts'
import plan from './plan.ts'

/** `svc run <task>`: runs a task. */
export default async function run(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  if (flags.dryRun) return plan(context, words)
  const request = await toRequest(await readTask(words), 'execute', flags, io)
  const events: RunEvent[] = []
  const started = await context.start({ claims: 'own' })
  const { runtime, isDurable } = started
  try {
    refuseBudget(flags, started)
    await context.sayWarnings(runtime)
    await sayLeftRuns(context, started)
    const threadId = await findThread(context, started)
    if (threadId !== undefined) request.threadId = threadId
    return await executeRun(context, runtime, request, createProgress(flags, io), {
      isDurable,
      ...(flags.traceHooks && {
        onEvent: (event) => void events.push(event),
        atEnd: () => io.err(toSafe(renderTrace(events))),
      }),
    })
  } finally {
    await runtime.close()
  }
}
