import { formatCost, formatCount, formatDuration, formatShort } from '../parts/format.ts'
import { Stat } from '../parts/stat.tsx'
import { Status } from '../parts/status.tsx'
import { type Filters, STATUSES, toAddress, withFilters } from './filters.ts'
import { useFigures } from './use-summary.ts'

/** Statuses that are shown though no run has them: what a person looks for first. */
const ALWAYS = new Set(['running', 'waiting', 'queued', 'completed', 'failed'])

/** How many runs of each status fit the other filters, each the way to them; and what those that fit took. */
export function Counters({ filters, changes, isListed }: { filters: Filters; changes: number; isListed: boolean }) {
  const { fitting, byStatus } = useFigures(filters, changes, isListed)
  const unpriced = fitting?.unpriced ?? 0
  const shown = STATUSES.filter(
    (status) => ALWAYS.has(status) || status === filters.status || (byStatus?.byStatus[status] ?? 0) > 0,
  )
  return (
    <div class="row counters">
      <nav class="row statuses" aria-label="Runs by status">
        <a
          href={toAddress(withFilters(filters, { status: undefined }))}
          aria-current={filters.status === undefined ? 'true' : undefined}
        >
          <b>All</b> <Count value={byStatus?.total} />
        </a>
        {shown.map((status) => (
          <a
            key={status}
            href={toAddress(withFilters(filters, { status }))}
            aria-current={filters.status === status ? 'true' : undefined}
          >
            <Status of={status} /> <Count value={byStatus?.byStatus[status]} />
          </a>
        ))}
      </nav>
      <dl class="stats">
        <Stat name="Median" title="Half of those that have ended took at most this">
          {formatDuration(fitting?.durationMs?.p50)}
        </Stat>
        <Stat name="95th percentile" title="95 of 100 of those that have ended took at most this">
          {formatDuration(fitting?.durationMs?.p95)}
        </Stat>
        <Stat name="Tokens" title={fitting && `${formatCount(fitting.tokens)} tokens, input and output together`}>
          {fitting === undefined ? '–' : formatShort(fitting.tokens)}
        </Stat>
        <Stat name="Cost" title={unpriced > 0 ? `Without ${formatCount(unpriced)} runs of unknown price` : ''}>
          {formatCost(fitting?.costUsd)}
          {unpriced > 0 && fitting?.costUsd !== null && (
            <span class="soft tiny"> + {formatShort(unpriced)} unpriced</span>
          )}
        </Stat>
      </dl>
    </div>
  )
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? null : <span class="number soft">{formatCount(value)}</span>
}
