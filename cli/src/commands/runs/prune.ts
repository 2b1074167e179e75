import { isTerminal } from '@svc/core'
import { RunStatus } from '@svc/core/schema'
import { describeBytes } from '@svc/core/text'
import type { CommandContext } from '../../frame/context.ts'
import { toMs } from '../../input/read-time.ts'
import { defined } from '../../line/given-options.ts'
import { invalid, wrong } from '../../line/wrong.ts'
import { count } from '../../render/one-line.ts'

const ENDED = RunStatus.enum.filter(isTerminal)
const AGE = 'a time such as 30d, 12h or 90m'

/** `svc runs prune --older-than <time>`: removes the runs that ended longer ago, with everything that belongs to them. */
export default async function prune(context: CommandContext): Promise<number> {
  const { flags, server } = context
  const { own, dryRun } = flags
  const age = own.text('olderThan')
  if (age === undefined) throw invalid('olderThan', `is missing: ${AGE}`)
  const olderThanMs = toMs(age)
  if (olderThanMs === undefined) throw invalid('olderThan', `must be ${AGE}, not "${age.slice(0, 80)}"`)
  const status = own.oneOf('status', ENDED)
  if (server !== undefined)
    throw wrong('svc runs prune works with the store itself: use it on the machine of the server')
  return context.useOwn({ needsStore: true }, async ({ runtime }) => {
    const pruned = await runtime.prune({ olderThanMs, dryRun, ...own.reach, ...defined({ status }) })
    const { runs, bytes } = pruned
    context.print(
      { ...pruned, dryRun },
      () => `${dryRun ? 'would remove' : 'removed'} ${count(runs, 'run')}, ${describeBytes(bytes)}`,
    )
    return 0
  })
}
