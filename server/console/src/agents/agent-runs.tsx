import { shownStateOf } from '@svc/core/client'
import { Card } from '../parts/card.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatCost, formatDate, oneLine, plural } from '../parts/format.ts'
import { RunStatus } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { useLoad } from '../session/use-load.ts'

const MOST_RUNS = 20

/** The newest runs that used an agent, and what all of them cost. */
export function AgentRuns({ id }: { id: string }) {
  const { value, error, isLoading, reload } = useLoad(
    async ({ runs }) => ({
      page: await runs.list({ agent: id, limit: MOST_RUNS }),
      sum: await runs.summary({ agent: id }),
    }),
    [id],
  )
  const runs = value?.page.data ?? []
  const total = value?.sum.total ?? 0
  return (
    <Card
      title="Runs"
      note={
        value !== undefined && total > 0
          ? `${plural(total, 'run')}, ${formatCost(value.sum.costUsd)} together`
          : undefined
      }
      extra={
        total > MOST_RUNS && (
          <a class="spread small" href={`/console/runs?agent=${encodeURIComponent(id)}`}>
            All of them
          </a>
        )
      }
    >
      <ErrorNote error={error} onRetry={reload} />
      {runs.length > 0 ? (
        <Table label="Runs that used it" heads={['Status', 'Task', 'Cost', 'Started']}>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <RunStatus stands={shownStateOf(run)} />
              </td>
              <td class="wide">
                <a href={`/console/runs/${run.id}`}>{oneLine(run.task, 120) || 'No task'}</a>
              </td>
              <td class="number">{formatCost(run.costUsd)}</td>
              <td class="number soft">{formatDate(run.createdAt)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        error === undefined && <p class="body soft">{isLoading ? 'Asking the server…' : 'No run has used it yet.'}</p>
      )}
    </Card>
  )
}
