import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { findId } from '../find-id.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { toRequest } from '../run-request.ts'

/** `svc plan <task>`: shows the plan of a task without running it. */
export default async function plan(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  const request = await toRequest(await readTask(words), 'plan', flags, io)
  const { runtime, isDurable } = await context.start({ claims: 'own' })
  // The plan is the result, so progress would only show it a second time.
  const progress = createProgress({ ...flags, quiet: flags.quiet || !flags.verbose }, io)
  try {
    if (flags.thread !== undefined) request.threadId = await findId(context, runtime, 'thread', flags.thread)
    return await executeRun(context, runtime, request, progress, { isDurable })
  } finally {
    await runtime.close()
  }
}
