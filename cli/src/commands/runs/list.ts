import type { RunQuery } from '@svc/core'
import { Mode, RunStatus } from '@svc/core/schema'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { oneOf } from '../../flags.ts'
import { countOf, textOf } from '../../read-options.ts'
import { refuseWords } from '../../refuse-words.ts'
import { renderRuns } from '../../render/run.ts'

/** `svc runs list`: the newest runs, or those that the options name. */
export default async function list(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs list', words, 0)
  const { rest } = context.flags
  const status = oneOf('status', textOf(rest.status), RunStatus.enum)
  const mode = oneOf('mode', textOf(rest.mode), Mode.enum)
  const limit = countOf('limit', rest.limit, { min: 1, max: 100 })
  const { runtime, space } = await context.start({ needsStore: true })
  try {
    const thread = context.flags.thread
    const named = { tag: textOf(rest.tag), agent: textOf(rest.agent), q: textOf(rest.q), after: textOf(rest.after) }
    const query: RunQuery = {
      ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
      ...(thread === undefined ? {} : { threadId: await findId(context, runtime, 'thread', thread) }),
      ...(status === undefined ? {} : { status }),
      ...(mode === undefined ? {} : { mode }),
      ...(limit === undefined ? {} : { limit }),
    }
    const page = await runtime.runs.list(query)
    context.print(page, (columns) => (page.data.length === 0 ? '' : renderRuns(page.data, space, columns)))
    if (page.data.length === 0) context.io.err('svc: no runs to show\n')
    else if (page.hasMore) context.io.err(`svc: there are more: --after ${page.nextCursor}\n`)
    return 0
  } finally {
    await runtime.close()
  }
}
