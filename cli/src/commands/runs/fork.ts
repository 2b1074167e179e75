import type { ForkInput, RunEvent, Runtime } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { readJsonFile, readJsonObject } from '../../input/read-json.ts'
import { defined } from '../../line/given-options.ts'
import { wrong } from '../../line/wrong.ts'
import { createProgress } from '../../progress/index.ts'
import { forkChanges } from '../../render/fork-changes.ts'
import { fit } from '../../render/width.ts'
import { findId } from '../../session/find-id.ts'
import { followRun, sayRun } from '../../session/follow-run.ts'
import { readLog } from '../../session/read-log.ts'

/** `svc runs fork <id> --at <event>`: a new run that takes over what was recorded up to an event, with changes. */
export default async function fork(context: CommandContext, [word]: string[]): Promise<number> {
  const { flags, io } = context
  const input = await toInput(context)
  return context.use({ needsStore: true, claims: 'own' }, async (started) => {
    const { runtime } = started
    const id = await findId(context, runtime, 'run', word)
    const run = await runtime.runs.fork(id, input)
    sayRun(context, run.id, ` forks ${id} at event ${input.atSeq}`)
    const code = await followRun(context, runtime, run.id, createProgress(flags, io), {
      ...started,
      leavesAtQuestion: true,
    })
    if (!flags.quiet) await sayChanges(context, runtime, id, run.id)
    return code
  })
}

/** Says in what the fork was set up otherwise than its parent. */
async function sayChanges({ io }: CommandContext, runtime: Runtime, parentId: string, id: string): Promise<void> {
  const read = async (runId: string): Promise<RunEvent[]> => readLog(runtime, await runtime.runs.get(runId))
  const changes = forkChanges(await read(parentId), await read(id))
  const width = Math.max(20, Math.floor((io.columns - 30) / 2))
  const lines = changes.map(({ what, before, after }) => `  ${what}: ${fit(before, width)} -> ${fit(after, width)}\n`)
  io.err(
    toSafe(
      lines.length === 0 ? 'svc: set up as its parent\n' : `svc: set up otherwise than its parent:\n${lines.join('')}`,
    ),
  )
}

async function toInput({ flags: { own, model }, commandOf }: CommandContext): Promise<ForkInput> {
  const atSeq = own.count('at', 0)
  if (atSeq === undefined)
    throw wrong(
      `svc runs fork needs --at with the number of an event: ${commandOf('runs get <id> --events')} shows them`,
    )
  const [plan, results] = [own.text('plan'), own.text('toolResults')]
  const edits: ForkInput['edits'] = {
    ...defined({ task: own.text('task'), model, prompt: own.text('prompt') }),
    ...(plan !== undefined && { plan: await readJsonFile('plan', plan) }),
    ...(results !== undefined && { toolResults: await readJsonObject('tool-results', results) }),
  }
  return { atSeq, ...(Object.keys(edits).length === 0 ? {} : { edits }) }
}
