import { useSignal } from '@preact/signals'
import type { Approval } from '@svc/sdk/remote'
import { Choice } from '../parts/choice.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatDate, oneLine, toText } from '../parts/format.ts'
import { Risk } from '../parts/risk.tsx'
import { RunLink } from '../parts/run-link.tsx'
import { Status } from '../parts/status.tsx'
import { usePages } from '../parts/use-pages.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { askedAt } from './describe-approval.ts'

const STATUSES = [['', 'Any'], 'approved', 'denied', 'expired'] as const
const ROW = 64

/** What was decided before, the newest first. */
export function ApprovalHistory() {
  const status = useSignal('')
  const text = useSignal('')
  const { value: wanted } = status
  const { items, isLoading, error, more, reload } = usePages<Approval>(
    (from, after) =>
      from.approvals.list({ limit: 100, ...after, ...(wanted !== '' && { status: wanted as Approval['status'] }) }),
    [wanted],
  )
  const sought = text.value.trim().toLowerCase()
  const shown = items.filter(
    (approval) => approval.status !== 'pending' && (sought === '' || textOf(approval).includes(sought)),
  )
  return (
    <section class="stack" aria-label="What was decided">
      <div class="row history-filters">
        <Choice label="Status" options={STATUSES} value={wanted} onValue={(value) => (status.value = value)} />
        <label>
          Tool, agent or arguments contain
          <input type="search" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
      </div>
      <ErrorNote error={error} onRetry={reload} />
      {shown.length === 0 ? (
        <p class="empty">{isLoading ? 'Asking the server…' : 'No decision yet that fits.'}</p>
      ) : (
        <div class="card">
          <VirtualList
            label="Decisions"
            items={shown}
            rowHeight={ROW}
            height={560}
            onEnd={more}
            row={(approval) => <HistoryRow key={approval.id} approval={approval} />}
          />
        </div>
      )}
      {sought !== '' && <p class="soft small">Searched: the {items.length} newest that are loaded.</p>}
    </section>
  )
}

function HistoryRow({ approval }: { approval: Approval }) {
  const { id, tool, risk, status, decision, by, runId, args } = approval
  const asked = askedAt(id)
  return (
    <div class="history-row" role="listitem">
      <span class="row">
        <Status of={status} label={decision === 'edit' ? 'approved with other arguments' : status} />
        <a class="mono clip" href={`/console/approvals/${id}`}>
          {oneLine(tool, 80)}
        </a>
        <Risk of={risk} />
        <span class="soft small spread">
          {by !== undefined && `by ${by}, `}
          {asked !== undefined && `asked ${formatDate(asked)}, `}
          <RunLink id={runId} />
        </span>
      </span>
      <span class="mono tiny soft clip">{oneLine(toText(args), 240)}</span>
    </div>
  )
}

const textOf = ({ tool, agentId, args, by }: Approval): string =>
  `${tool} ${agentId} ${by ?? ''} ${JSON.stringify(args)}`.toLowerCase()
