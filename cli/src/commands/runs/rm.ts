import { ValidationError } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'

/** `svc runs rm <id...>`: removes runs that have ended, with everything that belongs to them. */
export default async function rm(context: CommandContext, words: string[]): Promise<number> {
  if (words.length === 0)
    throw new ValidationError(
      'validation_failed',
      `svc runs rm needs the id of a run: see ${context.commandOf('runs list')}`,
    )
  const { runtime } = await context.start({ needsStore: true })
  try {
    const removed: string[] = []
    for (const word of words) removed.push(await findId(context, runtime, 'run', word))
    for (const id of new Set(removed)) await runtime.runs.delete(id)
    context.print({ removed }, () => removed.map((id) => `removed ${id}`).join('\n'))
    return 0
  } finally {
    await runtime.close()
  }
}
