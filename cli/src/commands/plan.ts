import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { findThread } from '../find-thread.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { refuseBudget } from '../refuse-budget.ts'
import { toRequest } from '../run-request.ts'

/** `svc plan <task>`: shows the plan of a task without running it. */
export default async function plan(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  const request = await toRequest(await readTask(words), 'plan', flags, io)
  const started = await context.start({ claims: 'own' })
  const { runtime, isDurable } = started
  // The plan is the result, so progress would only show it a second time.
  const progress = createProgress({ ...flags, quiet: flags.quiet || !flags.verbose }, io)
  try {
    refuseBudget(flags, started)
    const threadId = await findThread(context, started)
    if (threadId !== undefined) request.threadId = threadId
    return await executeRun(context, runtime, request, progress, { isDurable })
  } finally {
    await runtime.close()
  }
}
