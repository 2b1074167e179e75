import { CostGroup, CostPeriod } from '@svc/core/schema'
import type { CommandContext } from '../../frame/context.ts'
import { toMs } from '../../input/read-time.ts'
import { defined } from '../../line/given-options.ts'
import { invalid } from '../../line/wrong.ts'
import { renderCosts } from '../../render/costs.ts'

/** How far back is looked where nothing is said. */
const SINCE = '30d'

/** `svc runs costs`: what runs took, by time and by model or folder. */
export default function costs(context: CommandContext): Promise<number> {
  const { own } = context.flags
  const since = own.text('since') ?? SINCE
  const ms = toMs(since)
  if (ms === undefined) throw invalid('since', `must be a time such as 30d or 12h, not "${since.slice(0, 80)}"`)
  const now = new Date()
  const query = {
    ...defined({ per: own.oneOf('per', CostPeriod.enum), by: own.oneOf('by', CostGroup.enum) }),
    from: new Date(now.getTime() - ms).toISOString(),
    utcOffsetMinutes: -now.getTimezoneOffset(),
    ...own.reach,
  }
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const found = await runtime.runs.costs(query)
    context.print(found, (columns) => (found.data.length === 0 ? '' : renderCosts(found, columns)))
    if (found.data.length === 0) context.io.err(`svc: no run took anything in the last ${since}\n`)
    return 0
  })
}
