import type { CommandContext } from '../../frame/context.ts'
import { renderTable } from '../../render/table.ts'

/** `svc agents list`: every agent profile. */
export default function list(context: CommandContext): Promise<number> {
  return context.use({ persist: false }, async ({ runtime }) => {
    const profiles = await runtime.agents.list()
    const rows = profiles.map(({ id, name, role, model = '', description = '' }) => [
      id,
      name,
      role,
      model,
      description,
    ])
    context.print(profiles, (columns) =>
      rows.length === 0
        ? 'no agents yet: make one with svc agents create <name> --instructions "..."'
        : renderTable(['id', 'name', 'role', 'model', 'description'], rows, columns),
    )
    return 0
  })
}
