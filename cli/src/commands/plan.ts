import type { PlanResult } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { renderPlan } from '../render/plan.ts'
import { toRequest } from '../run-request.ts'

/** `svc plan <task>`: shows the plan of a task without running it. */
export default async function plan(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  const request = await toRequest(await readTask(words), 'plan', flags, io)
  const { runtime } = await context.start()
  // The plan is the result, so progress would only show it a second time.
  const progress = createProgress({ ...flags, quiet: flags.quiet || !flags.verbose }, io)
  try {
    return await executeRun<PlanResult>(context, runtime, request, progress, { render: renderPlan })
  } finally {
    await runtime.close()
  }
}
