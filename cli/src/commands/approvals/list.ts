import type { Approval } from '@svc/core'
import { toShownText } from '@svc/core/client'
import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { renderTable } from '../../render/table.ts'
import { toAge } from '../../render/time.ts'
import { fitMiddle } from '../../render/width.ts'

const STATUSES: readonly Approval['status'][] = ['pending', 'approved', 'denied', 'expired']
/** Enough of the end of a run's id to name it. */
const SHORT_ID = 8
/** Columns of the arguments: their beginning and their end, where they are longer. */
const MOST_SHOWN = 400

/** `svc approvals list`: the open questions, or those that `--status` names. */
export default function list(context: CommandContext): Promise<number> {
  const { own } = context.flags
  const status = own.oneOf('status', STATUSES) ?? 'pending'
  const query = { status, ...own.reach, ...defined({ limit: own.count('limit', 1, 100), after: own.text('after') }) }
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const page = await runtime.approvals.list(query)
    context.print(page, (columns) => (page.data.length === 0 ? '' : render(page.data, columns)))
    if (page.data.length === 0) context.io.err(`svc: no ${status} approvals\n`)
    else if (page.hasMore) context.io.err(`svc: there are more: --after ${page.nextCursor}\n`)
    return 0
  })
}

const render = (approvals: readonly Approval[], columns: number): string =>
  renderTable(
    ['id', 'run', 'expires', 'tool', 'arguments'],
    approvals.map(({ id, runId, expiresAt, status, tool, args }) => [
      id,
      runId.slice(-SHORT_ID),
      status === 'pending' ? toAge(expiresAt) : status,
      tool,
      fitMiddle(toShownText(JSON.stringify(args) ?? ''), MOST_SHOWN),
    ]),
    columns,
  )
