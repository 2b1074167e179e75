import type { CommandContext } from '../frame/context.ts'
import { readTask } from '../input/read-task.ts'
import { toRequest } from '../input/run-request.ts'
import { withServers } from '../mcp/task-parts.ts'
import { createProgress } from '../progress/index.ts'
import { findThread } from '../session/find-thread.ts'
import { executeRun } from '../session/follow-run.ts'

/** `svc plan <task>`: shows the plan of a task without running it. */
export default async function plan(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  const asked = await toRequest(await readTask(words), 'plan', flags, io)
  return context.use({ claims: 'own' }, async (started) => {
    const request = await withServers(context, started.loaded, asked)
    const threadId = await findThread(context, started)
    if (threadId !== undefined) request.threadId = threadId
    // The plan is the result, so progress would only show it a second time.
    const progress = createProgress({ ...flags, quiet: flags.quiet || !flags.verbose }, io)
    return executeRun(context, started.runtime, request, progress, started)
  })
}
