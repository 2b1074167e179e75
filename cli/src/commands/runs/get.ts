import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderRun } from '../../render/run.ts'

/** `svc runs get <id>`: what is known of a run, and its answer. */
export default async function get(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs get', words, 1)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const run = await runtime.runs.get(await findId(runtime, 'run', words[0]))
    context.print(run, () => renderRun(run))
    return 0
  } finally {
    await runtime.close()
  }
}
