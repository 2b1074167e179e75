import type { RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { Table } from '../parts/table.tsx'
import { NoneFits, type Sought } from './none-fits.tsx'

/** The plugins, in the order in which they are applied. */
export function PluginsCard({ plugins, sought }: Pick<RuntimeInfo, 'plugins'> & Sought) {
  const shown = plugins.filter(({ name, stages, source }) => sought(name, source, ...stages))
  return (
    <Card id="plugins" title="Plugins" note={`${plugins.length}, in the order in which they are applied`}>
      {shown.length === 0 ? (
        <NoneFits what="plugin" />
      ) : (
        <Table label="Table: Plugins" heads={['Plugin', 'Taps', 'From']}>
          {shown.map(({ name, stages, mandatory, source }) => (
            <tr key={name}>
              <td class="mono">
                {name} {mandatory && <span class="soft tiny">mandatory</span>}
              </td>
              <td>
                {stages.join(', ') || <span class="soft">no stage: it registers providers, tools or stores</span>}
              </td>
              <td>{source}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
