import type { Run } from '@svc/sdk/remote'
import { formatCost, formatCount, formatDate, formatDuration, oneLine } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { durationOf, toRow } from '../runs/run-list.ts'

/** The two runs in figures, those that differ marked. */
export function Facts({ left, right }: { left: Run | undefined; right: Run | undefined }) {
  const [one, other] = [factsOf(left), factsOf(right)]
  return (
    <div class="card scroll" tabIndex={0} role="region" aria-label="Facts of the two runs">
      <table class="facts-table">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-label">Fact</span>
            </th>
            <th scope="col">
              <RunLink run={left} name="Run A" />
            </th>
            <th scope="col">
              <RunLink run={right} name="Run B" />
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Status</th>
            <td>{left === undefined ? '–' : <Status of={left.status} />}</td>
            <td>{right === undefined ? '–' : <Status of={right.status} />}</td>
          </tr>
          {Object.keys(FACTS).map((name) => {
            const [before, after] = [one[name], other[name]]
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
        </tbody>
      </table>
    </div>
  )
}

function RunLink({ run, name }: { run: Run | undefined; name: string }) {
  if (run === undefined) return <span>{name}</span>
  return (
    <a href={`/console/runs/${run.id}`}>
      {name} <span class="mono tiny">{run.id}</span>
    </a>
  )
}

const FACTS: Readonly<Record<string, (run: Run) => string | undefined>> = {
  Task: ({ task }) => oneLine(task, 400),
  Mode: ({ mode }) => mode,
  Topology: ({ topology }) => topology,
  Agents: ({ agents }) => agents.map(({ name }) => name).join(', ') || undefined,
  Model: (run) => modelsOf(run).join(', ') || undefined,
  Tokens: ({ usage }) =>
    `${formatCount(usage.inputTokens + usage.outputTokens)} (${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out)`,
  'Model calls': ({ usage }) => formatCount(usage.modelCalls),
  Cost: ({ costUsd }) => (costUsd === null ? 'unknown' : formatCost(costUsd)),
  Duration: (run) => formatDuration(durationOf(toRow(run), Date.now())),
  Verdict: ({ result }) => (result as { verdict?: string } | undefined)?.verdict,
  Error: ({ error }) => error && `${error.code}: ${oneLine(error.message)}`,
  'Asked for': ({ createdAt }) => formatDate(createdAt),
}

function factsOf(run: Run | undefined): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(FACTS).map(([name, read]) => [name, run && read(run)]))
}

function modelsOf({ result }: Run): string[] {
  const { agents = [] } = (result ?? {}) as { agents?: { model?: string }[] }
  return [...new Set(agents.flatMap(({ model }) => model ?? []))]
}
