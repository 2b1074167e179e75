import type { CommandContext } from '../../frame/context.ts'

/** `svc memory rm <id...>`: forgets records; none where one of them is not there. */
export default function rm(context: CommandContext, ids: string[]): Promise<number> {
  return context.use({}, async ({ runtime }) => {
    for (const id of ids) await runtime.memory.get(id)
    for (const id of new Set(ids)) await runtime.memory.delete(id)
    context.print({ removed: ids }, () => ids.map((id) => `forgot ${id}`).join('\n'))
    return 0
  })
}
