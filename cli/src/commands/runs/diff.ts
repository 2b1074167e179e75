import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderDiff } from '../../render/diff.ts'

/** `svc runs diff <a> <b>`: what differs between two runs that have ended? */
export default async function diff(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs diff', words, 2)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const a = await findId(context, runtime, 'run', words[0])
    const b = await findId(context, runtime, 'run', words[1])
    const found = await runtime.runs.diff(a, b)
    context.print(found, (columns) => renderDiff(found, columns))
    return 0
  } finally {
    await runtime.close()
  }
}
