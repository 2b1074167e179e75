import type { VNode } from 'preact'
import { useCallback, useMemo, useRef } from 'preact/hooks'
import { plural } from '../parts/format.ts'
import { useMedia } from '../parts/use-media.ts'
import { useWindowWidth } from '../parts/use-window-width.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { chosen, rowsBetween, withChosen } from './chosen/chosen.ts'
import { chosenColumns, fitColumns, templateOf, wantedColumns } from './columns/columns.ts'
import type { RunRow } from './run-list.ts'
import { Row, RowHeads } from './run-row.tsx'
import type { ShownRuns } from './use-runs.ts'
import './run-table.css'

const HEIGHT = 36
const NARROW_HEIGHT = 60
/** What a row is higher by that has room for a piece of an answer. */
const FOUND_HEIGHT = 20
/** The list is at least as high as so many pixels, however low the window. */
const LEAST_HEIGHT = 360
/** What stands above and below the rows. */
const FRAME_HEIGHT = 62
/** The next page is asked for when so many rows are left below. */
const EARLY = 60
/** What rows of a narrow page have no room for. */
const NOT_NARROW: ReadonlySet<string> = new Set(['topology', 'mode', 'agents', 'tokens', 'key', 'tags', 'model'])

interface TableProps {
  runs: ShownRuns
  /** Whether there are runs of several folders. */
  hasFolder: boolean
  /** Whether something is searched for, which answers may say. */
  isSearch: boolean
}

/** The runs, row by row: arrow keys go through them, Enter opens one, Space chooses it, and with Shift those between too. */
export function RunTable({ runs, hasFolder, isSearch }: TableProps) {
  const { list, more, isLoading } = runs
  const isNarrow = useMedia('(width <= 760px)')
  const width = useWindowWidth()
  const rowHeight = (isNarrow ? NARROW_HEIGHT : HEIGHT) + (isSearch ? FOUND_HEIGHT : 0)
  const wanted = wantedColumns(chosenColumns.value, hasFolder)
  const fitting = isNarrow
    ? wanted.filter((id) => !NOT_NARROW.has(id))
    : fitColumns(wanted, width, chosenColumns.value !== undefined)
  const names = fitting.join()
  const columns = useMemo(() => fitting, [names])
  const left = wanted.length - columns.length
  const { rows, hasMore } = list
  // The last one says that more are loaded.
  const items = useMemo(() => (hasMore ? [...rows, undefined] : rows), [rows, hasMore])
  const newest = useRef(rows)
  newest.current = rows
  const last = useRef<string | undefined>(undefined)
  const choose = useCallback((id: string, isChosen: boolean, isRange: boolean): void => {
    const meant = rowsBetween(newest.current, isRange ? last.current : undefined, id)
    last.current = id
    chosen.value = withChosen(chosen.value, meant, isChosen)
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
    const isChosen = chosen.value.has(run.id)
    const state = `${index} ${isChosen} ${names}`
    const before = drawn.get(run)
    if (before?.state === state) return before.element
    const element = <Row key={run.id} run={run} index={index} isChosen={isChosen} columns={columns} onChoose={choose} />
    drawn.set(run, { state, element })
    return element
  }
  const height = items.length * rowHeight
  return (
    <section
      class="card run-table"
      data-narrow={isNarrow}
      data-search={isSearch}
      aria-label="Runs"
      style={{ minHeight: `${Math.min(height + FRAME_HEIGHT, LEAST_HEIGHT)}px`, '--columns': templateOf(columns) }}
      onKeyDown={moveFocus}
    >
      {!isNarrow && (
        <RowHeads
          columns={columns}
          count={rows.length}
          chosen={chosen.value.size === 0 ? 0 : rows.filter(({ id }) => chosen.value.has(id)).length}
          onChooseAll={(isChosen) => (chosen.value = withChosen(chosen.value, rows, isChosen))}
        />
      )}
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
        {left > 0 && chosenColumns.value !== undefined && `; no room for ${plural(left, 'column')}`}
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
