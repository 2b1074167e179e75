import type { RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { formatCount, formatDuration } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { NoneFits, type Sought } from './none-fits.tsx'
import { hooksOf } from './tables.ts'

const HEADS = [
  'Hook',
  { number: 'No.' },
  'Plugin',
  'Tap',
  { number: 'Order' },
  'From',
  { number: 'Calls' },
  { number: 'Mean' },
  { number: 'In all' },
]

/** Who answers each stage and who looks at each call, in the order in which they are asked. */
export function HooksCard({ taps, sought }: Pick<RuntimeInfo, 'taps'> & Sought) {
  const shown = hooksOf(taps).filter(({ hook, taps: own }) =>
    sought(hook, ...own.flatMap(({ plugin, name, source }) => [plugin, name, source])),
  )
  return (
    <Card id="hooks" title="Plugins by stage" note="the first plugin with an answer decides, later ones may amend it">
      {shown.length === 0 ? (
        <NoneFits what="hook" />
      ) : (
        <Table label="Table: Plugins by stage" heads={HEADS}>
          {shown.map(({ hook, taps: own }) =>
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
      )}
    </Card>
  )
}
