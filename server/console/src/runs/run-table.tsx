import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import { formatCount } from '../parts/format.ts'
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

/** The runs, row by row: arrow keys go through them, Enter opens one, two can be marked. */
export function RunTable({ runs, marked }: { runs: ShownRuns; marked: Signal<readonly string[]> }) {
  const { list, more, isLoading } = runs
  const isNarrow = useMedia('(width <= 760px)')
  const clock = useClock(list.rows.some(({ finishedAt }) => finishedAt === undefined))
  const rowHeight = isNarrow ? NARROW_HEIGHT : HEIGHT
  const count = list.rows.length + (list.hasMore ? 1 : 0)
  const mark = useCallback((id: string, isMarked: boolean): void => {
    const others = marked.value.filter((other) => other !== id)
    marked.value = isMarked ? [...others, id] : others
  }, [])
  // A row that is drawn as before is not looked at again while one scrolls.
  const drawn = useMemo(() => new WeakMap<RunRow, { state: string; element: VNode }>(), [])
  const row = (index: number) => {
    const run = list.rows[index]
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
    const props = { run, index, isMarked, isMarkable, onMark: mark, clock }
    const element = <Row key={run.id} {...props} />
    drawn.set(run, { state, element })
    return element
  }
  const height = count * rowHeight
  return (
    <section
      class="card run-table"
      data-narrow={isNarrow}
      aria-label="Runs"
      style={{ minHeight: `${Math.min(height + FRAME_HEIGHT, LEAST_HEIGHT)}px` }}
      onKeyDown={moveFocus}
    >
      {!isNarrow && <RowHeads />}
      <div class="rows" style={{ height: `${height}px` }}>
        <VirtualList
          label="Runs, the newest first"
          place={location.pathname + location.search}
          count={count}
          rowHeight={rowHeight}
          height="fill"
          row={row}
          early={EARLY}
          onEnd={list.hasMore && !isLoading ? more : undefined}
        />
      </div>
      <p class="foot tiny soft number" role="status">
        {formatCount(list.rows.length)} {list.rows.length === 1 ? 'run' : 'runs'}
        {list.hasMore ? ' loaded; scroll for more' : ''}
      </p>
    </section>
  )
}

/** The time of day, every second while something goes on. */
function useClock(goesOn: boolean): Signal<number> {
  const clock = useSignal(Date.now())
  useEffect(() => {
    if (!goesOn) return
    clock.value = Date.now()
    const timer = setInterval(() => (clock.value = Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [goesOn])
  return clock
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
