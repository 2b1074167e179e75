import type { CommandContext } from '../../frame/context.ts'
import { createProgress } from '../../progress/index.ts'
import { findId } from '../../session/find-id.ts'
import { followRun } from '../../session/follow-run.ts'
import { sayIfLeft } from '../../session/left-runs.ts'

/** `svc runs watch <id>`: shows a run of any process until it ends; stopping to watch leaves it as it is. */
export default function watch(context: CommandContext, [word]: string[]): Promise<number> {
  const { flags, io } = context
  return context.use({ needsStore: true }, async ({ runtime, isDurable }) => {
    const id = await findId(context, runtime, 'run', word)
    const { reach } = flags.own
    await sayIfLeft(context, runtime, id, reach)
    return followRun(context, runtime, id, createProgress(flags, io), { isDurable, isWatched: true, reach })
  })
}
