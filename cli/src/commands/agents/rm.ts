import type { CommandContext } from '../../frame/context.ts'

/** `svc agents rm <id>`: removes a profile. */
export default function rm(context: CommandContext, [id = '']: string[]): Promise<number> {
  return context.use({ persist: false }, async ({ runtime }) => {
    await runtime.agents.delete(id)
    context.print({ id, removed: true }, () => `removed agent ${id}`)
    return 0
  })
}
