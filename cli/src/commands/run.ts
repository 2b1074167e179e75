import type { ExecutionResult, TapTrace } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { toSafe } from '../io.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { renderResult } from '../render/result.ts'
import { renderTrace } from '../render/trace.ts'
import { toRequest } from '../run-request.ts'
import plan from './plan.ts'

/** `svc run <task>`: runs a task. */
export default async function run(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  if (flags.dryRun) return plan(context, words)
  const request = await toRequest(await readTask(words), 'execute', flags, io)
  const traces: TapTrace[] = []
  const { runtime } = await context.start(flags.traceHooks ? { onTap: (trace) => traces.push(trace) } : {})
  try {
    await context.sayWarnings(runtime)
    return await executeRun<ExecutionResult>(context, runtime, request, createProgress(flags, io), {
      render: renderResult,
      atEnd: () => flags.traceHooks && io.err(toSafe(renderTrace(traces))),
    })
  } finally {
    await runtime.close()
  }
}
