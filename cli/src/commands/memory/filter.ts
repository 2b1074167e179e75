import type { Layer, MemoryKind, MemoryRecord } from '@svc/core'
import { runStateOf } from '@svc/core/client'
import type { Flags } from '../../frame/flags.ts'
import { renderTable } from '../../render/table.ts'

const LAYERS: readonly Layer[] = ['working', 'episodic', 'long-term']
const KINDS: readonly MemoryKind[] = ['fact', 'event', 'procedure', 'summary', 'decision', 'lesson', 'preference']
export const MOST_FOUND = 1000

/** What a record must be to be shown, or what a new one is to be. */
export interface Filter {
  layer: Layer | undefined
  kind: MemoryKind | undefined
  tags: string[]
}

export const readFilter = ({ own }: Flags): Filter => ({
  layer: own.oneOf('layer', LAYERS),
  kind: own.oneOf('kind', KINDS),
  tags: own.list('tag'),
})

export const fitsFilter = (record: MemoryRecord, { kind, tags }: Filter): boolean =>
  (kind === undefined || record.kind === kind) && tags.every((tag) => record.tags.includes(tag))

/** Records as a table. @param title of its second column */
export const renderRecords = <One extends MemoryRecord>(
  records: readonly One[],
  title: string,
  toCell: (record: One) => string,
  columns: number,
): string =>
  records.length === 0
    ? ''
    : renderTable(
        ['id', title, 'kind', 'since', 'content'],
        records.map((one) => [one.id, toCell(one), kindOf(one), one.validFrom.slice(0, 10), one.content]),
        columns,
        { cuts: true },
      )

/** The kind, how the run ended that the record is of, and a mark where it is untrusted. */
const kindOf = (record: MemoryRecord): string => {
  const notes = [runStateOf(record), record.trust === 'trusted' ? '' : 'untrusted'].filter((note) => note !== '')
  return notes.length === 0 ? record.kind : `${record.kind} (${notes.join(', ')})`
}
