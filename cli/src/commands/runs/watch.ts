import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { followRun } from '../../follow-run.ts'
import { isLeft } from '../../left-runs.ts'
import { createProgress } from '../../progress/index.ts'
import { refuseWords } from '../../refuse-words.ts'

/** `svc runs watch <id>`: shows a run of any process until it ends; stopping to watch leaves it as it is. */
export default async function watch(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs watch', words, 1)
  const { flags, io } = context
  const { runtime, isDurable } = await context.start({ needsStore: true })
  try {
    const id = await findId(context, runtime, 'run', words[0])
    if (await isLeft(runtime, id))
      io.err(`svc: no process works on ${id}: ${context.commandOf(`runs resume ${id}`)} goes on with it\n`)
    return await followRun(context, runtime, id, createProgress(flags, io), { isDurable, isWatched: true })
  } finally {
    await runtime.close()
  }
}
