import type { RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { ErrorText } from '../parts/error-note.tsx'
import { formatCount, oneLine } from '../parts/format.ts'
import { Risk } from '../parts/risk.tsx'
import { Table } from '../parts/table.tsx'
import { NoneFits, type Sought } from './none-fits.tsx'

/** What agents can call, how much harm it can do, and how it was used in this process. */
export function ToolsCard({ tools, sought }: Pick<RuntimeInfo, 'tools'> & Sought) {
  const shown = tools.filter(({ id, risk, description, source }) => sought(id, risk, description, source))
  return (
    <Card id="tools" title="Tools" note={tools.length}>
      {shown.length === 0 ? (
        <NoneFits what="tool" />
      ) : (
        <Table label="Table: Tools" heads={['Tool', 'Risk', 'What it does', 'Use', 'From']}>
          {shown.map(({ id, risk, description, source, use }) => (
            <tr key={id}>
              <td class="mono">{oneLine(id, 120)}</td>
              <td>
                <Risk of={risk} />
              </td>
              <td class="wide">{oneLine(description, 400)}</td>
              <td>
                {use === undefined || use.calls + use.denied === 0 ? (
                  <span class="soft">not used yet</span>
                ) : (
                  `${formatCount(use.calls)} calls, ${formatCount(use.failures)} failed, ${formatCount(use.denied)} refused`
                )}
                <ErrorText error={use?.lastError} class="tiny" />
              </td>
              <td>{source}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
