import type { CommandContext } from '../../frame/context.ts'
import { readTask } from '../../input/read-task.ts'
import { defined } from '../../line/given-options.ts'
import { readFilter } from './filter.ts'

/** `svc memory add <text>`: remembers a text, as a fact where nothing else is said. */
export default async function add(context: CommandContext, words: string[]): Promise<number> {
  const { layer, kind = 'fact', tags } = readFilter(context.flags)
  const content = await readTask(words, 'text')
  return context.use({}, async ({ runtime }) => {
    const optional = defined({ layer, tags: tags.length === 0 ? undefined : tags })
    const record = await runtime.memory.write({ content, kind, ...optional })
    context.print(record, () => `remembered as ${record.id}`)
    return 0
  })
}
