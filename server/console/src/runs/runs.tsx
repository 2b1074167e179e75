import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatCount } from '../parts/format.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { ChosenBar } from './chosen/chosen-bar.tsx'
import { ColumnChoice } from './columns/column-choice.tsx'
import { chosenColumns, readColumns } from './columns/columns.ts'
import { Counters } from './counters.tsx'
import { FilterBar } from './filter-bar.tsx'
import { findContradictions, readFilters, toAddress } from './filters.ts'
import { NewRun } from './new-run/new-run.tsx'
import { isBoxOpen } from './new-run/new-run-state.ts'
import { RunTable } from './run-table.tsx'
import { SavedFilters } from './saved/saved-filters.tsx'
import { useRuns } from './use-runs.ts'
import './runs.css'

/** All runs: what goes on, what has ended, and the box for a new one. */
export default function Runs() {
  useViewTitle('Runs')
  const { query } = useLocation()
  const filters = readFilters(query)
  const isUnfiltered = toAddress(filters) === '/console/runs'
  const runs = useRuns(filters)
  const { list, error, isLoading, show, more } = runs
  const isContradiction = Object.keys(findContradictions(filters)).length > 0
  const isEmpty = list.rows.length === 0 && !isLoading && (error === undefined || isContradiction)
  const isFirst = isEmpty && isUnfiltered
  const isDismissed = useSignal(false)
  // Those of a link are shown, and kept only where one changes them.
  useLayoutEffect(() => {
    const columns = readColumns(query.columns)
    if (columns !== undefined) chosenColumns.value = columns
  }, [query.columns])
  // Who is about to write keeps the box, whatever the list does meanwhile.
  const wasFirst = useRef(false)
  wasFirst.current ||= isFirst
  const isOpen = isBoxOpen.value || (wasFirst.current && !isDismissed.value)
  const isClosed = useRef(false)
  const close = (): void => {
    isClosed.current = true
    isBoxOpen.value = false
    isDismissed.value = true
  }
  return (
    <div class="runs-page">
      <div class="row">
        <h1>Runs</h1>
        {!isOpen && (
          <button
            ref={(button) => {
              // What was closed gives the focus back.
              if (isClosed.current) button?.focus()
              isClosed.current = false
            }}
            type="button"
            class="primary spread"
            aria-keyshortcuts="n"
            onClick={() => (isBoxOpen.value = true)}
          >
            New run
          </button>
        )}
      </div>
      {isOpen && <NewRun isFirst={isFirst} onClose={isFirst ? undefined : close} />}
      {!isFirst && <Counters filters={filters} changes={runs.refreshes} isListed={!isLoading} />}
      {!isFirst && (
        <FilterBar filters={filters} rows={list.rows}>
          <ColumnChoice filters={filters} />
        </FilterBar>
      )}
      {!isFirst && <SavedFilters filters={filters} />}
      {!isContradiction && <ErrorNote error={error} onRetry={more} />}
      <ChosenBar runs={runs} />
      <div role="status" class="news">
        {list.fresh.length > 0 && (
          <button type="button" class="marked" onClick={show}>
            {formatCount(list.fresh.length)}
            {list.isTorn ? '+' : ''} new {list.fresh.length === 1 ? 'run' : 'runs'}: show
          </button>
        )}
      </div>
      {list.rows.length > 0 && (
        <RunTable
          key={toAddress(filters)}
          runs={runs}
          hasFolder={filters.folders === 'all'}
          isSearch={filters.q !== undefined}
        />
      )}
      {isEmpty && !isFirst && (
        <p class="empty">
          {isContradiction ? 'No run can fit: a least value is above its most.' : 'No run fits these filters.'}{' '}
          <a href="/console/runs">Show all runs</a>
        </p>
      )}
      {isLoading && list.rows.length === 0 && <p class="empty">Loading runs…</p>}
    </div>
  )
}
