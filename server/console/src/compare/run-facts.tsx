import { shownStateOf } from '@svc/core/client'
import type { Run } from '@svc/sdk/remote'
import { formatCost, formatCount, formatDate, formatDuration, oneLine, shortId, tokensOf } from '../parts/format.ts'
import { RunStatus } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { durationOf } from '../runs/run-list.ts'
import { serverNow } from '../session/clock.ts'

/** The two runs in figures, those that differ marked. */
export function RunFacts({ left, right }: { left: Run | undefined; right: Run | undefined }) {
  return (
    <div class="card">
      <Table
        label="Facts of the two runs"
        class="facts-table"
        heads={[<span class="hidden-label">Fact</span>, sideOf(left, 'Run A'), sideOf(right, 'Run B')]}
      >
        <tr>
          <th scope="row">Status</th>
          <td>{left && <RunStatus stands={shownStateOf(left)} />}</td>
          <td>{right && <RunStatus stands={shownStateOf(right)} />}</td>
        </tr>
        {Object.entries(FACTS).map(([name, read]) => {
          const [before, after] = [left && read(left), right && read(right)]
          const differs = before !== undefined && after !== undefined && before !== after
          return (
            <tr key={name} data-differs={differs}>
              <th scope="row">
                {name}
                {differs && <span class="hidden-label"> differs</span>}
              </th>
              <td>{before ?? '–'}</td>
              <td>{after ?? '–'}</td>
            </tr>
          )
        })}
      </Table>
    </div>
  )
}

const sideOf = (run: Run | undefined, name: string) =>
  run === undefined ? (
    name
  ) : (
    <a href={`/console/runs/${run.id}`} title={run.id}>
      {name} <span class="mono tiny">{shortId(run.id)}</span>
    </a>
  )

const FACTS: Readonly<Record<string, (run: Run) => string | undefined>> = {
  Task: ({ task }) => oneLine(task, 400),
  Mode: ({ mode }) => mode,
  Topology: ({ topology }) => topology?.toLowerCase(),
  Agents: ({ agents }) => agents.map(({ name }) => name).join(', ') || undefined,
  Model: (run) => modelsOf(run).join(', ') || undefined,
  Tokens: ({ usage }) =>
    `${formatCount(tokensOf(usage))} (${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out)`,
  'Model calls': ({ usage }) => formatCount(usage.modelCalls),
  Cost: ({ costUsd }) => (costUsd === null ? 'unknown' : formatCost(costUsd)),
  Duration: (run) => formatDuration(durationOf(run, serverNow())),
  Verdict: (run) => shownStateOf(run).verdict,
  Error: ({ error }) => error && `${error.code}: ${oneLine(error.message)}`,
  'Asked for': ({ createdAt }) => formatDate(createdAt),
}

function modelsOf({ result }: Run): string[] {
  const { agents = [] } = (result ?? {}) as { agents?: { model?: string }[] }
  return [...new Set(agents.flatMap(({ model }) => model ?? []))]
}
