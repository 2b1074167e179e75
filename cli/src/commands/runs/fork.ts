import { type ForkInput, type RunEvent, type Runtime, ValidationError } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { sayRun } from '../../execute-run.ts'
import { findId } from '../../find-id.ts'
import { followRun } from '../../follow-run.ts'
import { forkChanges } from '../../fork-changes.ts'
import { toSafe } from '../../io.ts'
import { createProgress } from '../../progress/index.ts'
import { readJsonFile, readJsonObject } from '../../read-json.ts'
import { readLog } from '../../read-log.ts'
import { countOf, textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'
import { fit } from '../../render/width.ts'

/** `svc runs fork <id> --at <event>`: a new run that takes over what was recorded up to an event, with changes. */
export default async function fork(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs fork', words, 1)
  const { flags, io } = context
  const input = await toInput(context)
  const { runtime, isDurable } = await context.start({ needsStore: true, claims: 'own' })
  try {
    const id = await findId(context, runtime, 'run', words[0])
    const run = await runtime.runs.fork(id, input)
    sayRun(context, run.id, ` forks ${id} at event ${input.atSeq}`)
    const code = await followRun(context, runtime, run.id, createProgress(flags, io), { isDurable })
    if (!flags.quiet) await sayChanges(context, runtime, id, run.id)
    return code
  } finally {
    await runtime.close()
  }
}

/** Says in what the fork was set up otherwise than its parent. */
async function sayChanges({ io }: CommandContext, runtime: Runtime, parentId: string, id: string): Promise<void> {
  const read = async (runId: string): Promise<RunEvent[]> =>
    readLog(runtime, runId, (await runtime.runs.get(runId)).lastSeq)
  const changes = forkChanges(await read(parentId), await read(id))
  const width = Math.max(20, Math.floor((io.columns - 30) / 2))
  const lines = changes.map(({ what, before, after }) => `  ${what}: ${fit(before, width)} -> ${fit(after, width)}\n`)
  io.err(
    toSafe(
      lines.length === 0 ? 'svc: set up as its parent\n' : `svc: set up otherwise than its parent:\n${lines.join('')}`,
    ),
  )
}

async function toInput({ flags: { rest, model }, commandOf }: CommandContext): Promise<ForkInput> {
  const atSeq = countOf('at', rest.at, { min: 0, max: Number.MAX_SAFE_INTEGER })
  if (atSeq === undefined)
    throw new ValidationError(
      'validation_failed',
      `svc runs fork needs --at with the number of an event: ${commandOf('runs get <id> --events')} shows them`,
    )
  const [task, prompt, plan, results] = [rest.task, rest.prompt, rest.plan, rest.toolResults].map(textOf)
  const edits: ForkInput['edits'] = {
    ...(task === undefined ? {} : { task }),
    ...(model === undefined ? {} : { model }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(plan === undefined ? {} : { plan: await readJsonFile('plan', plan) }),
    ...(results === undefined ? {} : { toolResults: await readJsonObject('tool-results', results) }),
  }
  return { atSeq, ...(Object.keys(edits).length === 0 ? {} : { edits }) }
}
