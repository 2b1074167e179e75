import { useSignal } from '@preact/signals'
import { runStateOf } from '@svc/core/client'
import type { MemoryHit, MemoryRecord } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { formatFromNow, oneLine } from '../parts/format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { groupRuns } from './group-runs.ts'
import { MemoryDetails } from './memory-details.tsx'
import { Score } from './score.tsx'
import { Trust } from './trust.tsx'

const ROW = 62

interface MemoryListProps {
  records: readonly (MemoryRecord | MemoryHit)[]
  onEnd: (() => void) | undefined
  onChanged: () => void
}

/** Records, a line each, and the one that was chosen beside them. */
export function MemoryList({ records, onEnd, onChanged }: MemoryListProps) {
  const rows = useMemo(() => groupRuns(records), [records])
  const chosen = useSignal<string | undefined>(undefined)
  const record = records.find(({ id }) => id === chosen.value)
  return (
    <div class="memory">
      <div class="card">
        <VirtualList
          label="Records"
          items={rows}
          rowHeight={ROW}
          height={620}
          onEnd={onEnd}
          row={({ record: one, isSameRun }) => (
            <div key={one.id} role="listitem" class="memory-row" data-trust={one.trust} data-same-run={isSameRun}>
              <button
                type="button"
                class="line"
                aria-pressed={one.id === chosen.value}
                onClick={() => (chosen.value = one.id)}
              >
                <span class="clip">{oneLine(one.content, 240)}</span>
                <span class="row tiny soft">
                  <Trust of={one.trust} />
                  <span>
                    {one.layer}, {one.kind}
                  </span>
                  {one.outcome !== undefined && <span>run {runStateOf(one)}</span>}
                  {isSameRun && <span>same run</span>}
                  <span class="clip">{one.tags.map((tag) => oneLine(tag, 40)).join(', ')}</span>
                  {'score' in one && <Score score={one.score} />}
                  <span class="spread">{formatFromNow(one.createdAt)}</span>
                </span>
              </button>
            </div>
          )}
        />
      </div>
      {record !== undefined && (
        <MemoryDetails
          key={record.id}
          record={record}
          onChanged={onChanged}
          onDeleted={() => {
            chosen.value = undefined
            onChanged()
          }}
        />
      )}
    </div>
  )
}
