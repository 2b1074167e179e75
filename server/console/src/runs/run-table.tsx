import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback, useMemo } from 'preact/hooks'
import { plural } from '../parts/format.ts'
import { useMedia } from '../parts/use-media.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import type { RunRow } from './run-list.ts'
import { Row, RowHeads } from './run-row.tsx'
import type { ShownRuns } from './use-runs.ts'
import './run-table.css'

const HEIGHT = 36
const NARROW_HEIGHT = 60
/** The list is at least as high as so many pixels, however low the window. */
const LEAST_HEIGHT = 360
/** What stands above and below the rows. */
const FRAME_HEIGHT = 62
/** The next page is asked for when so many rows are left below. */
const EARLY = 60

interface TableProps {
  runs: ShownRuns
  marked: Signal<readonly string[]>
  /** Whether there are runs of several folders. */
  hasFolder: boolean
}

/** The runs, row by row: arrow keys go through them, Enter opens one, two can be marked. */
export function RunTable({ runs, marked, hasFolder }: TableProps) {
  const { list, more, isLoading } = runs
  const isNarrow = useMedia('(width <= 760px)')
  const rowHeight = isNarrow ? NARROW_HEIGHT : HEIGHT
  const { rows, hasMore } = list
  // The last one says that more are loaded.
  const items = useMemo(() => (hasMore ? [...rows, undefined] : rows), [rows, hasMore])
  const mark = useCallback((id: string, isMarked: boolean): void => {
    const others = marked.value.filter((other) => other !== id)
    marked.value = isMarked ? [...others, id] : others
  }, [])
  // A row that is drawn as before is not looked at again while one scrolls.
  const drawn = useMemo(() => new WeakMap<RunRow, { state: string; element: VNode }>(), [])
  const row = (run: RunRow | undefined, index: number) => {
    if (run === undefined)
      return (
        <div key="more" role="listitem" class="run-row loading soft">
          Loading more runs…
        </div>
      )
    const isMarked = marked.value.includes(run.id)
    const isMarkable = marked.value.length < 2
    const state = `${index} ${isMarked} ${isMarkable}`
    const before = drawn.get(run)
    if (before?.state === state) return before.element
    const props = { run, index, isMarked, isMarkable, hasFolder, onMark: mark }
    const element = <Row key={run.id} {...props} />
    drawn.set(run, { state, element })
    return element
  }
  const height = items.length * rowHeight
  return (
    <section
      class="card run-table"
      data-narrow={isNarrow}
      data-folders={hasFolder}
      aria-label="Runs"
      style={{ minHeight: `${Math.min(height + FRAME_HEIGHT, LEAST_HEIGHT)}px` }}
      onKeyDown={moveFocus}
    >
      {!isNarrow && <RowHeads hasFolder={hasFolder} />}
      <div class="rows" style={{ height: `${height}px` }}>
        <VirtualList
          label="Runs, the newest first"
          place={location.pathname + location.search}
          items={items}
          rowHeight={rowHeight}
          height="fill"
          row={row}
          early={EARLY}
          onEnd={hasMore && !isLoading ? more : undefined}
        />
      </div>
      <p class="foot tiny soft number" role="status">
        {plural(rows.length, 'run')}
        {hasMore && ' loaded; scroll for more'}
      </p>
    </section>
  )
}

/** Arrow keys go from row to row. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (by === 0 || event.altKey || event.ctrlKey || event.metaKey) return
  const { currentTarget, target } = event
  const from = (target as HTMLElement).closest('.run-row')?.querySelector<HTMLElement>('a[data-index]')
  const next =
    from == null
      ? currentTarget.querySelector<HTMLElement>('a[data-index]')
      : currentTarget.querySelector<HTMLElement>(`a[data-index="${Number(from.dataset.index) + by}"]`)
  if (next == null) return
  event.preventDefault()
  next.focus({ preventScroll: true })
  next.closest('.run-row')?.scrollIntoView({ block: 'nearest' })
}
