import { useSignal } from '@preact/signals'
import { ErrorNote } from '../parts/error-note.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { ConfigCard } from './config-card.tsx'
import { HealthCard } from './health-card.tsx'
import { HooksCard } from './hooks-card.tsx'
import { InForceCard } from './in-force-card.tsx'
import { IssuesCard } from './issues-card.tsx'
import { PluginsCard } from './plugins-card.tsx'
import { ProvidersCard } from './providers-card.tsx'
import { ToolsCard } from './tools-card.tsx'
import './plugins.css'

const CARDS = [
  ['in-force', 'In force'],
  ['health', 'Health'],
  ['hooks', 'Plugins by stage'],
  ['plugins', 'Plugins'],
  ['providers', 'Providers'],
  ['tools', 'Tools'],
  ['config', 'Config'],
  ['issues', 'Issues'],
] as const
const EVERY_MS = 10_000

/** What the server is made of: what is in force, who answers which stage, models, tools, config, and how all that fares. */
export default function Plugins() {
  useViewTitle('Plugins')
  const text = useSignal('')
  const { value: info, error, reload } = useLoad((from) => from.describe(), [], { everyMs: EVERY_MS })
  const inspection = useLoad((from) => from.inspect(), [], { everyMs: EVERY_MS })
  const wanted = text.value.trim().toLowerCase()
  const sought = (...texts: string[]): boolean => texts.join(' ').toLowerCase().includes(wanted)
  return (
    <div class="stack plugins-page">
      <div class="row">
        <h1>Plugins</h1>
        <label class="spread search">
          <span class="hidden-label">Search plugins, tools, providers, settings and issues</span>
          <input
            type="search"
            placeholder="Search this page"
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <nav class="row small" aria-label="Parts of this page">
        {CARDS.map(([id, name]) => (
          <a key={id} href={`#${id}`}>
            {name}
          </a>
        ))}
      </nav>
      <ErrorNote error={error} onRetry={reload} />
      {info !== undefined && wanted === '' && <InForceCard info={info} />}
      {wanted === '' && <HealthCard inspection={inspection} />}
      {info === undefined ? (
        error === undefined && <p class="empty">Asking the server…</p>
      ) : (
        <>
          <HooksCard taps={info.taps} sought={sought} />
          <PluginsCard plugins={info.plugins} sought={sought} />
          <ProvidersCard info={info} sought={sought} />
          <ToolsCard tools={info.tools} sought={sought} />
          <ConfigCard config={info.config} sought={sought} />
        </>
      )}
      {inspection.value !== undefined && <IssuesCard inspection={inspection.value} sought={sought} />}
    </div>
  )
}
