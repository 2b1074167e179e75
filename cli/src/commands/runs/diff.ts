import type { CommandContext } from '../../frame/context.ts'
import { renderDiff } from '../../render/diff.ts'
import { findId } from '../../session/find-id.ts'

/** `svc runs diff <id> <other>`: what differs between two runs that have ended? */
export default function diff(context: CommandContext, [one, other]: string[]): Promise<number> {
  const { reach } = context.flags.own
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const a = await findId(context, runtime, 'run', one)
    const b = await findId(context, runtime, 'run', other)
    const found = await runtime.runs.diff(a, b, reach)
    context.print(found, (columns) => renderDiff(found, columns))
    return 0
  })
}
