import type { CommandContext } from '../../frame/context.ts'
import { readTask } from '../../input/read-task.ts'
import { findId } from '../../session/find-id.ts'
import { sayIfLeft } from '../../session/left-runs.ts'

/** `svc runs steer <id> <text>`: says something to a run at work, whichever process works on it. */
export default async function steer(context: CommandContext, [word, ...words]: string[]): Promise<number> {
  const text = await readTask(words, 'text')
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const id = await findId(context, runtime, 'run', word)
    const message = await runtime.runs.steer(id, { text })
    context.print(message, () => `${message.id} is sent: each agent of ${id} reads it before its next step`)
    await sayIfLeft(context, runtime, id)
    return 0
  })
}
