import type { ExperimentReport, ShownExperiment } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { oneLine, plural } from '../../parts/format.ts'
import { RunLink } from '../../parts/run-link.tsx'
import { Table } from '../../parts/table.tsx'
import { inBrackets, toPercent, toPoints, toRange } from './figures.ts'

type Link = ExperimentReport['regressions'][number]['worst'][number]['base']

/** The tasks that scored less than with the base, the worst first. */
export function Regressions({ shown: { report, storedRuns } }: { shown: ShownExperiment }) {
  const { regressions, noise } = report
  if (regressions.length === 0) return null
  const isStored = new Set(storedRuns)
  return (
    <Card title="Worst regressions" note="tasks that scored less than with the base">
      <div class="body stack">
        {noise !== null && (
          <p class="small soft">
            Of the base against itself, {toPercent(noise.lost.value)} of the tasks scored less the second time
            {inBrackets(noise.lost.interval, toPercent)}: so many regress by chance.
          </p>
        )}
        {regressions.map(({ arm, total, share, worst }) => (
          <details key={arm}>
            <summary>
              <strong>{arm}</strong>: {total === 0 ? 'no task' : plural(total, 'task')}
              {total > 0 && `, ${toPercent(share.value)} of all${inBrackets(share.interval, toPercent)}`}
            </summary>
            {worst.length > 0 && (
              <Table
                label={`Table: Worst regressions of ${arm}`}
                heads={['Task', 'Seed', 'Points', 'Interval', 'Base', 'Arm']}
              >
                {worst.map((one) => (
                  <tr key={one.task}>
                    <th scope="row">{oneLine(one.task, 80)}</th>
                    <td>{one.seed}</td>
                    <td>{toPoints(one.difference)}</td>
                    <td>{toRange(one.interval, toPoints)}</td>
                    <td class="long">
                      <Run of={one.base} isStored={isStored.has(one.base.runId)} />
                    </td>
                    <td class="long">
                      <Run of={one.arm} isStored={isStored.has(one.arm.runId)} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </details>
        ))}
        <p class="small soft">
          Runs of an experiment are kept in files of its folder: <span class="mono">svc runs import</span> brings one
          here.
        </p>
      </div>
    </Card>
  )
}

function Run({ of: { score, runId, evidence, bundle }, isStored }: { of: Link; isStored: boolean }) {
  return (
    <>
      score {score?.toFixed(2) ?? '–'}
      {isStored ? (
        <>
          , <RunLink id={runId} />
        </>
      ) : (
        bundle !== undefined && <span class="mono tiny soft"> {bundle}</span>
      )}
      {evidence !== undefined && <p class="tiny soft">{oneLine(evidence, 200)}</p>}
    </>
  )
}
