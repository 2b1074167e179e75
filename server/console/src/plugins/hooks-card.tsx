import type { RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { formatCount, formatDuration } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { hooksOf } from './tables.ts'

const HEADS = ['Hook', 'No.', 'Plugin', 'Tap', 'Order', 'From', 'Calls', 'Mean', 'In all']

/** Who answers each stage and who looks at each call, in the order in which they are asked. */
export function HooksCard({ taps }: Pick<RuntimeInfo, 'taps'>) {
  return (
    <Card id="hooks" title="Hooks" note="the first plugin with an answer decides, later ones may amend it">
      <Table label="Table: Hooks" heads={HEADS}>
        {hooksOf(taps).map(({ hook, taps: own }) =>
          own.length === 0 ? (
            <tr key={hook}>
              <th scope="row" class="mono">
                {hook}
              </th>
              <td colSpan={8} class="soft">
                No plugin taps it.
              </td>
            </tr>
          ) : (
            own.map(({ plugin, name, mandatory, stage, source, calls, totalMs }, index) => (
              <tr key={`${hook} ${plugin} ${name}`}>
                {index === 0 && (
                  <th scope="row" class="mono" rowSpan={own.length}>
                    {hook}
                  </th>
                )}
                <td class="number">{index + 1}</td>
                <td class="mono">
                  {plugin} {mandatory && <span class="soft tiny">mandatory</span>}
                </td>
                <td class="mono">{name}</td>
                <td class="number">{stage}</td>
                <td>{source}</td>
                <td class="number">{formatCount(calls)}</td>
                <td class="number">{calls === 0 ? '–' : formatDuration(totalMs / calls)}</td>
                <td class="number">{calls === 0 ? '–' : formatDuration(totalMs)}</td>
              </tr>
            ))
          ),
        )}
      </Table>
    </Card>
  )
}
