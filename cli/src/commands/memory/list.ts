import type { MemoryRecord } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { defined } from '../../line/given-options.ts'
import { everyItem } from '../../session/every-item.ts'
import { fitsFilter, MOST_FOUND, readFilter, renderRecords } from './filter.ts'

/** `svc memory list`: what was remembered last. */
export default function list(context: CommandContext): Promise<number> {
  const { flags, io } = context
  const filter = readFilter(flags)
  const limit = flags.own.count('limit', 1, MOST_FOUND) ?? 20
  return context.use({}, async ({ runtime }) => {
    const data: MemoryRecord[] = []
    const { layer } = filter
    for await (const record of everyItem((query) => runtime.memory.list({ ...query, ...defined({ layer }) }))) {
      if (fitsFilter(record, filter)) data.push(record)
      if (data.length > limit) break
    }
    const shown = data.slice(0, limit)
    context.print({ data: shown, hasMore: data.length > limit }, (columns) =>
      renderRecords(shown, 'layer', ({ layer }) => layer, columns),
    )
    if (shown.length === 0) io.err('svc: nothing is remembered yet: use svc memory add "..."\n')
    else if (data.length > limit) io.err(`svc: these are the newest ${limit}; --limit shows more\n`)
    return 0
  })
}
