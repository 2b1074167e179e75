import type { RunEvent } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { readTask } from '../input/read-task.ts'
import { toRequest } from '../input/run-request.ts'
import { commandSources, expandCommand } from '../input/slash-commands.ts'
import { wrong } from '../line/wrong.ts'
import { withServers } from '../mcp/task-parts.ts'
import { createProgress } from '../progress/index.ts'
import { renderTrace, toTrace } from '../render/run/trace.ts'
import { findThread } from '../session/find-thread.ts'
import { executeRun } from '../session/follow-run.ts'
import { sayLeftRuns } from '../session/left-runs.ts'
import { checkNew, keepRecording } from '../session/recording.ts'
import plan from './plan.ts'

/** `svc run <task>`: runs a task. */
export default async function run(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  if (flags.dryRun) return plan(context, words)
  const [replay, isFill] = [flags.own.text('replay'), flags.own.is('fill')]
  if (replay === undefined && isFill) throw wrong('--fill goes with --replay <file>: name a recording')
  const path = flags.own.text('record')
  if (path !== undefined) await checkNew(path)
  if (replay !== undefined) return (await import('./run/replay.ts')).default(context, words, replay, isFill, path)
  const asked = await toRequest(await readTask(words), 'execute', flags, io)
  const events: RunEvent[] = []
  return context.use({ claims: 'own', needsModel: true }, async (started) => {
    const { runtime, isDurable } = started
    const expanded = (await expandCommand(asked, commandSources(started))) ?? asked
    const request = await withServers(context, started.loaded, expanded)
    // As a part of the run, so that a process that goes on with it asks the same model.
    if (flags.model !== undefined || flags.provider !== undefined)
      request.model = (await runtime.describe()).defaultModel
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
  })
}
