import { Mode, RunStatus, Verdict } from '@svc/core/schema'
import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { invalid } from '../../line/wrong.ts'
import { renderRuns } from '../../render/run/run.ts'
import { findId } from '../../session/find-id.ts'

/** `svc runs list`: the newest runs, or those that the options name. */
export default function list(context: CommandContext): Promise<number> {
  const { own, thread } = context.flags
  const folder = own.text('folder')
  if (folder !== undefined && own.reach.all !== true)
    throw invalid('folder', 'is one of those that --all looks at: add --all')
  const query = defined({
    status: own.oneOf('status', RunStatus.enum),
    verdict: own.oneOf('verdict', Verdict.enum),
    model: own.text('model'),
    space: folder,
    mode: own.oneOf('mode', Mode.enum),
    limit: own.count('limit', 1, 100),
    tag: own.text('tag'),
    agent: own.text('agent'),
    q: own.text('search') ?? own.text('q'),
    after: own.text('after'),
  })
  return context.use({ needsStore: true }, async ({ runtime, space }) => {
    const threadId = thread === undefined ? undefined : await findId(context, runtime, 'thread', thread)
    const page = await runtime.runs.list({ ...query, ...own.reach, ...defined({ threadId }) })
    context.print(page, (columns) => (page.data.length === 0 ? '' : renderRuns(page.data, space, columns)))
    if (page.data.length === 0) context.io.err('svc: no runs to show\n')
    else if (page.hasMore) context.io.err(`svc: there are more: --after ${page.nextCursor}\n`)
    return 0
  })
}
