import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { ConfigTable } from './config-table.tsx'
import { Hooks } from './hooks.tsx'
import { Providers } from './providers.tsx'
import { Section, Table } from './section.tsx'
import { ServerHealth } from './server-health.tsx'
import { Tools } from './tools.tsx'
import './plugins.css'

const SECTIONS = [
  { id: 'health', name: 'Health' },
  { id: 'hooks', name: 'Hooks' },
  { id: 'plugins', name: 'Plugins' },
  { id: 'providers', name: 'Providers' },
  { id: 'tools', name: 'Tools' },
  { id: 'config', name: 'Config' },
] as const
const EVERY_MS = 10_000

/** What the server is made of: who answers which stage, models, tools, config, and how all that fares. */
export default function Plugins() {
  useViewTitle('Plugins')
  const { value: info, error, reload } = useLoad((from) => from.describe(), [], { everyMs: EVERY_MS })
  return (
    <div class="stack">
      <h1>Plugins</h1>
      <nav class="row small" aria-label="Parts of this page">
        {SECTIONS.map(({ id, name }) => (
          <a key={id} href={`#${id}`}>
            {name}
          </a>
        ))}
      </nav>
      <ErrorNote error={error} onRetry={reload} />
      <ServerHealth />
      {info === undefined ? (
        error === undefined && <p class="empty">Asking the server…</p>
      ) : (
        <>
          <Hooks taps={info.taps} />
          <Section id="plugins" name="Plugins" note={`${info.plugins.length}, in the order in which they are applied`}>
            <Table label="Plugins" heads={['Plugin', 'Taps', 'From']}>
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
          </Section>
          <Providers info={info} />
          <Tools tools={info.tools} />
          <ConfigTable config={info.config} />
        </>
      )}
    </div>
  )
}
