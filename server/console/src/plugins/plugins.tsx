import { Card } from '../parts/card.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Table } from '../parts/table.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { ConfigCard } from './config-card.tsx'
import { HealthCard } from './health-card.tsx'
import { HooksCard } from './hooks-card.tsx'
import { ProvidersCard } from './providers-card.tsx'
import { ToolsCard } from './tools-card.tsx'

const CARDS = ['Health', 'Hooks', 'Plugins', 'Providers', 'Tools', 'Config']
const EVERY_MS = 10_000

/** What the server is made of: who answers which stage, models, tools, config, and how all that fares. */
export default function Plugins() {
  useViewTitle('Plugins')
  const { value: info, error, reload } = useLoad((from) => from.describe(), [], { everyMs: EVERY_MS })
  return (
    <div class="stack">
      <h1>Plugins</h1>
      <nav class="row small" aria-label="Parts of this page">
        {CARDS.map((name) => (
          <a key={name} href={`#${name.toLowerCase()}`}>
            {name}
          </a>
        ))}
      </nav>
      <ErrorNote error={error} onRetry={reload} />
      <HealthCard />
      {info === undefined ? (
        error === undefined && <p class="empty">Asking the server…</p>
      ) : (
        <>
          <HooksCard taps={info.taps} />
          <Card id="plugins" title="Plugins" note={`${info.plugins.length}, in the order in which they are applied`}>
            <Table label="Table: Plugins" heads={['Plugin', 'Taps', 'From']}>
              {info.plugins.map(({ name, stages, mandatory, source }) => (
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
          </Card>
          <ProvidersCard info={info} />
          <ToolsCard tools={info.tools} />
          <ConfigCard config={info.config} />
        </>
      )}
    </div>
  )
}
