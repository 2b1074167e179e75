import { isTerminal } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { refuseWords } from '../../refuse-words.ts'

/** How long it is waited for the process that works on the run. */
const PATIENCE_MS = 15_000

/** `svc runs cancel <id>`: asks the process that works on a run to end it, or ends it here where none does. */
export default async function cancel(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs cancel', words, 1)
  const { runtime } = await context.start({ needsStore: true, claims: 'own' })
  const alive = setInterval(() => {}, 60_000)
  try {
    const id = await findId(context, runtime, 'run', words[0])
    const before = await runtime.runs.get(id)
    if (!isTerminal(before.status)) await runtime.runs.cancel(id, 'cancelled on the command line')
    const run = await runtime.runs.wait(id, PATIENCE_MS)
    context.print(run, () => {
      if (isTerminal(before.status)) return `${id} is ${before.status} already`
      return isTerminal(run.status) ? `${id} is ${run.status}` : `${id} is asked to end`
    })
    return 0
  } finally {
    clearInterval(alive)
    await runtime.close()
  }
}
