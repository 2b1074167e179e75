import type { CommandContext } from '../../frame/context.ts'
import { findId } from '../../session/find-id.ts'

/** `svc runs rm <id...>`: removes runs that have ended, with everything that belongs to them. */
export default function rm(context: CommandContext, words: string[]): Promise<number> {
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const removed: string[] = []
    for (const word of words) removed.push(await findId(context, runtime, 'run', word))
    for (const id of new Set(removed)) await runtime.runs.delete(id)
    context.print({ removed }, () => removed.map((id) => `removed ${id}`).join('\n'))
    return 0
  })
}
