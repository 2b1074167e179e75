import type { CommandContext } from '../frame/context.ts'
import { renderTable } from '../render/table.ts'

/** `svc tools`: what can agents do, and how risky is it? */
export default function tools(context: CommandContext): Promise<number> {
  return context.use({ persist: false }, async ({ runtime }) => {
    const info = await runtime.describe()
    context.print(info.tools, (columns) =>
      renderTable(
        ['tool', 'risk', 'from', 'what it does'],
        info.tools.map(({ id, risk, source, description }) => [
          id,
          risk,
          source,
          description.split(/(?<=\.)\s/)[0] ?? '',
        ]),
        columns,
      ),
    )
    return 0
  })
}
