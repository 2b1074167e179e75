import type { CommandContext } from '../../frame/context.ts'
import { readTask } from '../../input/read-task.ts'

/** `svc memory edit <id> <text>`: gives a record another text, which is the person's own from then on. */
export default async function edit(context: CommandContext, [id = '', ...words]: string[]): Promise<number> {
  const content = await readTask(words, 'text')
  return context.use({}, async ({ runtime }) => {
    const record = await runtime.memory.update(id, { content })
    context.print(record, () => `changed ${record.id}: it is yours now, and trusted`)
    return 0
  })
}
