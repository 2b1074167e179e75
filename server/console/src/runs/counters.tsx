import { formatCost, formatCount, formatDuration, formatShort } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { type Filters, STATUSES, toAddress, withFilters } from './filters.ts'
import { useFigures } from './use-summary.ts'

/** Statuses that are shown though no run has them: what a person looks for first. */
const ALWAYS = new Set(['running', 'waiting', 'queued', 'completed', 'failed'])

/** How many runs of each status fit the other filters, each the way to them; and what those that fit took. */
export function Counters({ filters, changes, isListed }: { filters: Filters; changes: number; isListed: boolean }) {
  const { fitting, byStatus } = useFigures(filters, changes, isListed)
  const shown = STATUSES.filter(
    (status) => ALWAYS.has(status) || status === filters.status || (byStatus?.byStatus[status] ?? 0) > 0,
  )
  return (
    <div class="counters">
      <nav class="statuses" aria-label="Runs by status">
        <a
          href={toAddress(withFilters(filters, { status: undefined }))}
          aria-current={filters.status === undefined ? 'true' : undefined}
        >
          <span class="word">All</span> <Count value={byStatus?.total} />
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
      <dl class="figures">
        <div title="Half of those that have ended took at most this">
          <dt>Median</dt>
          <dd>{formatDuration(fitting?.durationMs?.p50)}</dd>
        </div>
        <div title="95 of 100 of those that have ended took at most this">
          <dt>95th percentile</dt>
          <dd>{formatDuration(fitting?.durationMs?.p95)}</dd>
        </div>
        <div title={fitting && `${formatCount(fitting.tokens)} tokens, input and output together`}>
          <dt>Tokens</dt>
          <dd>{fitting === undefined ? '–' : formatShort(fitting.tokens)}</dd>
        </div>
        <div
          title={
            fitting && fitting.unpriced > 0 ? `Without ${formatCount(fitting.unpriced)} runs of unknown price` : ''
          }
        >
          <dt>Cost</dt>
          <dd>
            {formatCost(fitting?.costUsd)}
            {fitting !== undefined && fitting.unpriced > 0 && fitting.costUsd !== null && (
              <span class="soft tiny"> + {formatShort(fitting.unpriced)} unpriced</span>
            )}
          </dd>
        </div>
      </dl>
    </div>
  )
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? null : <span class="number soft">{formatCount(value)}</span>
}
