import { isTerminal, type RunEvent, type Runtime, ValidationError } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { executeRun } from '../execute-run.ts'
import { findThread } from '../find-thread.ts'
import { toSafe } from '../io.ts'
import { sayLeftRuns } from '../left-runs.ts'
import { createProgress } from '../progress/index.ts'
import { readTask } from '../read-task.ts'
import { checkNew, saveRun } from '../recording.ts'
import { refuseBudget } from '../refuse-budget.ts'
import { renderTrace, toTrace } from '../render/trace.ts'
import { toRequest } from '../run-request.ts'
import plan from './plan.ts'

/** `svc run <task>`: runs a task. */
export default async function run(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  if (flags.dryRun) return plan(context, words)
  const { record, replay, fill } = flags.rest
  if (typeof replay === 'string')
    return (await import('./run/replay.ts')).default(context, words, replay, fill === true)
  if (fill === true)
    throw new ValidationError('validation_failed', '--fill goes with --replay <file>: name a recording')
  const path = typeof record === 'string' ? record : undefined
  if (path !== undefined) await checkNew(path)
  const request = await toRequest(await readTask(words), 'execute', flags, io)
  const events: RunEvent[] = []
  const started = await context.start({ claims: 'own', needsModel: true })
  const { runtime, isDurable } = started
  try {
    refuseBudget(flags, started)
    await context.sayWarnings(runtime)
    await sayLeftRuns(context, started)
    const threadId = await findThread(context, started)
    if (threadId !== undefined) request.threadId = threadId
    let id: string | undefined
    const code = await executeRun(context, runtime, request, createProgress(flags, io), {
      isDurable,
      onEvent(event) {
        id = event.runId
        if (flags.traceHooks) events.push(event)
      },
      atEnd() {
        if (!flags.traceHooks) return
        const columns = io.canRedraw ? io.columns : Number.POSITIVE_INFINITY
        io.err(`${toSafe(renderTrace(toTrace(events), columns))}\n`)
      },
    })
    if (path !== undefined && id !== undefined) await keepRecording(context, runtime, id, path)
    return code
  } finally {
    await runtime.close()
  }
}

/** A run that goes on elsewhere is recorded when it has ended. */
async function keepRecording(context: CommandContext, runtime: Runtime, id: string, path: string): Promise<void> {
  const { flags, io, commandOf } = context
  if (!isTerminal((await runtime.runs.get(id)).status)) {
    io.err(`svc: not recorded, since the run has not ended: ${commandOf(`export ${id} ${path}`)} does it then\n`)
    return
  }
  await saveRun(runtime, id, path)
  if (!flags.quiet) io.err(`svc: recorded in ${toSafe(path)}\n`)
}
