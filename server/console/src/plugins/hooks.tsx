import type { TapInfo } from '@svc/sdk/remote'
import { formatCount, formatDuration } from '../parts/format.ts'
import { hooksOf } from './hook-table.ts'
import { Section, Table } from './section.tsx'

const HEADS = ['Hook', 'No.', 'Plugin', 'Tap', 'Order', 'From', 'Calls', 'Mean', 'In all']

/** Who answers each stage and who looks at each call, in the order in which they are asked. */
export function Hooks({ taps }: { taps: readonly TapInfo[] }) {
  return (
    <Section id="hooks" name="Hooks" note="the first plugin with an answer decides, later ones may amend it">
      <Table label="Hooks" heads={HEADS}>
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
            own.map((tap, index) => (
              <tr key={`${hook} ${tap.plugin} ${tap.name}`}>
                {index === 0 && (
                  <th scope="row" class="mono" rowSpan={own.length}>
                    {hook}
                  </th>
                )}
                <td class="number">{index + 1}</td>
                <td class="mono">
                  {tap.plugin} {tap.mandatory && <span class="soft tiny">mandatory</span>}
                </td>
                <td class="mono">{tap.name}</td>
                <td class="number">{tap.stage}</td>
                <td>{tap.source}</td>
                <Times tap={tap} />
              </tr>
            ))
          ),
        )}
      </Table>
    </Section>
  )
}

function Times({ tap: { calls, totalMs } }: { tap: TapInfo }) {
  return (
    <>
      <td class="number">{formatCount(calls)}</td>
      <td class="number">{calls === 0 ? '–' : formatDuration(totalMs / calls)}</td>
      <td class="number">{calls === 0 ? '–' : formatDuration(totalMs)}</td>
    </>
  )
}
