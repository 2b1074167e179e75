import { signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatCount } from '../parts/format.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { Counters } from './counters.tsx'
import { FilterBar } from './filter-bar.tsx'
import { findContradictions, readFilters, toAddress } from './filters.ts'
import { NewRun } from './new-run/new-run.tsx'
import { isBoxOpen } from './new-run/new-run-state.ts'
import { RunTable } from './run-table.tsx'
import { useRuns } from './use-runs.ts'
import './runs.css'

/** Runs that are marked to be compared: two at most. They stay marked while one looks at other views. */
const marked = signal<readonly string[]>([])

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
  // Who is about to write keeps the box, whatever the list does meanwhile.
  const wasFirst = useRef(false)
  wasFirst.current ||= isFirst
  const isOpen = isBoxOpen.value || (wasFirst.current && !isDismissed.value)
  const close = (): void => {
    isBoxOpen.value = false
    isDismissed.value = true
  }
  const [one, other] = marked.value
  return (
    <div class="runs-page">
      <div class="row">
        <h1>Runs</h1>
        {!isOpen && (
          <button type="button" class="primary spread" aria-keyshortcuts="n" onClick={() => (isBoxOpen.value = true)}>
            New run
          </button>
        )}
      </div>
      {isOpen && <NewRun isFirst={isFirst} onClose={isFirst ? undefined : close} />}
      {!isFirst && <Counters filters={filters} changes={runs.refreshes} isListed={!isLoading} />}
      {!isFirst && <FilterBar filters={filters} />}
      {!isContradiction && <ErrorNote error={error} onRetry={more} />}
      {one !== undefined && (
        <div class="row bar marked" role="region" aria-label="Comparison">
          {other === undefined ? (
            <span>One run is marked: mark another to compare them.</span>
          ) : (
            <a class="button" href={`/console/compare/${one}/${other}`}>
              Compare the two marked runs
            </a>
          )}
          <button type="button" class="plain" onClick={() => (marked.value = [])}>
            Unmark
          </button>
        </div>
      )}
      <div role="status" class="news">
        {list.fresh.length > 0 && (
          <button type="button" class="marked" onClick={show}>
            {formatCount(list.fresh.length)}
            {list.isTorn ? '+' : ''} new {list.fresh.length === 1 ? 'run' : 'runs'}: show
          </button>
        )}
      </div>
      {list.rows.length > 0 && (
        <RunTable key={toAddress(filters)} runs={runs} marked={marked} hasFolder={filters.folders === 'all'} />
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
