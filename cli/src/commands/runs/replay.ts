import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderReplay } from '../../render/replay.ts'

/** `svc runs replay <id>`: does a run give the same again from its records alone? Exit code 1 where it does not. */
export default async function replay(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs replay', words, 1)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const id = await findId(context, runtime, 'run', words[0])
    const result = await runtime.runs.replay(id)
    context.print(result, (columns) => renderReplay(result, columns))
    return result.identical ? 0 : 1
  } finally {
    await runtime.close()
  }
}
