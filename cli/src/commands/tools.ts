import type { CommandContext } from '../context.ts'
import { renderTable } from '../render/table.ts'

/** `svc tools`: what can agents do, and how risky is it? */
export default async function tools(context: CommandContext): Promise<number> {
  const { runtime } = await context.start({ persist: false })
  try {
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
  } finally {
    await runtime.close()
  }
}
