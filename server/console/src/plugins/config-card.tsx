import type { RuntimeInfo } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { oneLine } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { NoneFits, type Sought } from './none-fits.tsx'
import { toConfigRows } from './tables.ts'

/** The config in force, value by value, without secrets. */
export function ConfigCard({ config, sought }: Pick<RuntimeInfo, 'config'> & Sought) {
  const rows = useMemo(() => toConfigRows(config), [config])
  const shown = rows.filter(({ path, value, source }) => sought(path, value, source))
  return (
    <Card id="config" title="Config in force" note="secrets are left out; what is not set has its default">
      {rows.length === 0 && <p class="body soft small">Nothing is set: all defaults.</p>}
      {rows.length > 0 && shown.length === 0 && <NoneFits what="setting" />}
      {shown.length > 0 && (
        <Table label="Table: Config" heads={['Setting', 'Value', 'From']}>
          {shown.map(({ path, value, source }) => (
            <tr key={path}>
              <td class="mono">{path}</td>
              <td class="mono wide">{oneLine(value, 2_000)}</td>
              <td>{source || '–'}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
