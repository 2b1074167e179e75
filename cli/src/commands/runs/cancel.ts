import { isTerminal } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { findId } from '../../session/find-id.ts'
import { stayAlive } from '../../session/stay-alive.ts'

/** How long it is waited for the process that works on the run. */
const PATIENCE_MS = 15_000

/** `svc runs cancel <id>`: asks the process that works on a run to end it, or ends it here where none does. */
export default function cancel(context: CommandContext, [word]: string[]): Promise<number> {
  return context.use({ needsStore: true, claims: 'own' }, async ({ runtime }) => {
    const id = await findId(context, runtime, 'run', word)
    const before = await runtime.runs.get(id)
    if (isTerminal(before.status)) {
      context.print(before, () => `${id} is ${before.status} already`)
      return 0
    }
    await runtime.runs.cancel(id, 'cancelled on the command line')
    const run = await stayAlive(runtime.runs.wait(id, PATIENCE_MS))
    context.print(run, () => (isTerminal(run.status) ? `${id} is ${run.status}` : `${id} is asked to end`))
    return 0
  })
}
