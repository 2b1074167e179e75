import { useSignal } from '@preact/signals'
import type { RuntimeInfo } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { oneLine } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { toConfigRows } from './tables.ts'

/** The config in force, value by value, without secrets. */
export function ConfigCard({ config }: Pick<RuntimeInfo, 'config'>) {
  const text = useSignal('')
  const rows = useMemo(() => toConfigRows(config), [config])
  const sought = text.value.trim().toLowerCase()
  const shown = rows.filter(({ path, value, source }) => `${path} ${value} ${source}`.toLowerCase().includes(sought))
  return (
    <Card id="config" title="Config in force" note="secrets are left out; what is not set has its default">
      <div class="body">
        <label>
          Setting, value or file contains
          <input type="search" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{rows.length === 0 ? 'Nothing is set: all defaults.' : 'No setting fits.'}</p>
      ) : (
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
