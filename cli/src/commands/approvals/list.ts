import type { Approval } from '@svc/core'
import { toShownText } from '../../approval/shown-text.ts'
import type { CommandContext } from '../../context.ts'
import { oneOf } from '../../flags.ts'
import { countOf, textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderTable } from '../../render/table.ts'
import { toAge } from '../../render/time.ts'
import { fitMiddle } from '../../render/width.ts'

const STATUSES: readonly Approval['status'][] = ['pending', 'approved', 'denied', 'expired']
/** Enough of the end of a run's id to name it. */
const SHORT_ID = 8
/** Columns of the arguments: their beginning and their end, where they are longer. */
const MOST_SHOWN = 400

/** `svc approvals list`: the open questions, or those that `--status` names. */
export default async function list(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('approvals list', words, 0)
  const { rest } = context.flags
  const status = oneOf('status', textOf(rest.status), STATUSES) ?? 'pending'
  const limit = countOf('limit', rest.limit, { min: 1, max: 100 })
  const after = textOf(rest.after)
  const { runtime } = await context.start({ needsStore: true })
  try {
    const page = await runtime.approvals.list({
      status,
      ...(limit === undefined ? {} : { limit }),
      ...(after === undefined ? {} : { after }),
    })
    context.print(page, (columns) => (page.data.length === 0 ? '' : render(page.data, columns)))
    if (page.data.length === 0) context.io.err(`svc: no ${status} approvals\n`)
    else if (page.hasMore) context.io.err(`svc: there are more: --after ${page.nextCursor}\n`)
    return 0
  } finally {
    await runtime.close()
  }
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
