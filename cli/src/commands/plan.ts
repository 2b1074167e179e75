import type { PlanResult } from '@svc/core'
import { ERROR_CODES } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { renderPlan } from '../render/plan.ts'
import { toRequest } from '../run-request.ts'
import { catchSignals } from '../signals.ts'

/** `svc plan <task>`: shows how a task would be carried out. */
export default async function plan(context: CommandContext, args: string[]): Promise<number> {
  const { flags, io } = context
  const task = await readTask(args[0])
  const request = await toRequest(task, 'plan', flags, io)
  const { runtime } = await context.start()
  const progress = createProgress({ ...flags, quiet: flags.quiet || !flags.verbose }, io)
  runtime.onEvent((event) => {
    if (flags.output === 'stream-json') io.out(`${JSON.stringify(event)}\n`)
    progress.show(event)
  })
  try {
    const { id } = await runtime.runs.create(request)
    const signals = catchSignals(flags.timeoutMs, (reason) => void runtime.runs.cancel(id, reason))
    await runtime.runs.wait(id)
    signals.stop()
    const result = (await runtime.runs.result(id)) as PlanResult
    progress.end()
    if (flags.output === 'stream-json') io.out(`${JSON.stringify({ result })}\n`)
    else context.print(result, () => renderPlan(result))
    if (result.error === undefined) return 0
    if (flags.output === 'text') io.err(toSafe(`svc: ${result.error.message} [${result.error.code}]\n`))
    return signals.exitCode() ?? ERROR_CODES[result.error.code as keyof typeof ERROR_CODES]?.exitCode ?? 1
  } finally {
    await runtime.close()
  }
}
