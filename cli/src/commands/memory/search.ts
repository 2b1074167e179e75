import type { CommandContext } from '../../frame/context.ts'
import { readTask } from '../../input/read-task.ts'
import { defined } from '../../line/given-options.ts'
import { fitsFilter, MOST_FOUND, readFilter, renderRecords } from './filter.ts'

/** `svc memory search <query>`: what fits a question best. */
export default async function search(context: CommandContext, words: string[]): Promise<number> {
  const { flags, io } = context
  const filter = readFilter(flags)
  const most = flags.own.count('limit', 1, MOST_FOUND) ?? 10
  const query = await readTask(words, 'query')
  return context.use({}, async ({ runtime }) => {
    const { layer, kind, tags } = filter
    // Kind and tag filter what was found, so more is asked for.
    const limit = kind !== undefined || tags.length > 0 ? MOST_FOUND : most
    const found = await runtime.memory.query({ query, limit, ...defined({ layers: layer && [layer] }) })
    const data = found.data.filter((hit) => fitsFilter(hit, filter)).slice(0, most)
    context.print({ ...found, data }, (columns) =>
      renderRecords(data, 'score', ({ score }) => score.toFixed(2), columns),
    )
    if (data.length === 0) io.err('svc: nothing that is remembered fits\n')
    else if (found.low) io.err('svc: little of this fits what was asked\n')
    return 0
  })
}
