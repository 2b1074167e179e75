import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { findId } from '../../session/find-id.ts'
import { NOTHING, renderUndoPlan } from '../../undo/render.ts'
import { printUndone, undoRuns } from '../../undo/undo-runs.ts'

/** `svc runs undo <id>`: puts the files that a run changed back as they were. */
export default function undo(context: CommandContext, [word]: string[]): Promise<number> {
  const { own, dryRun, yes } = context.flags
  const asks = context.io.isInteractive && !yes
  const input = defined({ to: own.text('to') })
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const id = await findId(context, runtime, 'run', word)
    if (!dryRun) {
      printUndone(context, await undoRuns(context, runtime, id, input, asks))
      return 0
    }
    const planned = await runtime.runs.undo(id, { ...input, dryRun })
    context.print(planned, () => renderUndoPlan(planned) || NOTHING)
    return planned.conflicts.length > 0 ? 1 : 0
  })
}
