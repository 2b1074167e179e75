import { useSignal } from '@preact/signals'
import type { MemoryHit, MemoryRecord } from '@svc/sdk/remote'
import { formatFromNow, oneLine } from '../parts/format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { MemoryDetails } from './memory-details.tsx'
import { Score } from './score.tsx'
import { Trust } from './trust.tsx'

const ROW = 62

export interface MemoryListProps {
  records: readonly (MemoryRecord | MemoryHit)[]
  onEnd: (() => void) | undefined
  onDeleted: () => void
}

/** Records, a line each, and the one that was chosen beside them. */
export function MemoryList({ records, onEnd, onDeleted }: MemoryListProps) {
  const chosen = useSignal<string | undefined>(undefined)
  const record = records.find(({ id }) => id === chosen.value)
  return (
    <div class="memory">
      <div class="card">
        <VirtualList
          label="Records"
          count={records.length}
          rowHeight={ROW}
          height={620}
          onEnd={onEnd}
          row={(index) => {
            const one = records[index]
            return one === undefined ? null : (
              <MemoryRow
                key={one.id}
                record={one}
                isChosen={one.id === chosen.value}
                onChoose={() => {
                  chosen.value = one.id
                }}
              />
            )
          }}
        />
      </div>
      {record !== undefined && (
        <MemoryDetails
          key={record.id}
          record={record}
          onDeleted={() => {
            chosen.value = undefined
            onDeleted()
          }}
        />
      )}
    </div>
  )
}

interface RowProps {
  record: MemoryRecord | MemoryHit
  isChosen: boolean
  onChoose: () => void
}

function MemoryRow({ record, isChosen, onChoose }: RowProps) {
  const { content, trust, layer, kind, createdAt, tags } = record
  return (
    <div role="listitem" class="memory-row" data-trust={trust}>
      <button type="button" class="plain" aria-pressed={isChosen} onClick={onChoose}>
        <span class="clip">{oneLine(content, 240)}</span>
        <span class="row tiny soft">
          <Trust of={trust} />
          <span>
            {layer}, {kind}
          </span>
          <span class="clip">{tags.map((tag) => oneLine(tag, 40)).join(', ')}</span>
          {'score' in record && <Score score={record.score} />}
          <span class="spread">{formatFromNow(createdAt)}</span>
        </span>
      </button>
    </div>
  )
}
