import type { ProviderHealth, RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { ErrorText } from '../parts/error-note.tsx'
import { formatCount, formatFromNow, plural } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { Table } from '../parts/table.tsx'
import { NoneFits, type Sought } from './none-fits.tsx'

const STATES: Readonly<Record<ProviderHealth['state'], { of: string; label: string }>> = {
  unused: { of: 'idle', label: 'not used yet' },
  ok: { of: 'completed', label: 'works' },
  failing: { of: 'failed', label: 'the last call failed' },
  resting: { of: 'waiting', label: 'cannot be reached: resting a moment' },
}

/** The ways to models, and how they fared in this process. */
export function ProvidersCard({ info, sought }: { info: RuntimeInfo } & Sought) {
  const shown = info.providers.filter(({ id, source, models }) =>
    sought(id, source, ...models.map((model) => model.id)),
  )
  return (
    <Card id="providers" title="Providers" note={`default model ${info.defaultModel}`}>
      {shown.length === 0 ? (
        <NoneFits what="provider" />
      ) : (
        <Table label="Table: Providers" heads={['Provider', 'Models', 'Default', 'Health', 'From']}>
          {shown.map(({ id, models, defaultModel, source, error, health }) => (
            <tr key={id}>
              <td class="mono">{id}</td>
              <td>
                <details>
                  <summary>{plural(models.length, 'model')}</summary>
                  <ul class="mono">
                    {models.map((model) => (
                      <li key={model.id}>
                        {model.id}
                        {model.context !== undefined && (
                          <span class="soft"> {formatCount(model.context)} tokens of context</span>
                        )}
                      </li>
                    ))}
                  </ul>
                </details>
              </td>
              <td class="mono">{defaultModel ?? '–'}</td>
              <td>
                {health !== undefined && <Status {...STATES[health.state]} />}
                {health !== undefined && health.calls > 0 && (
                  <p class="soft tiny">
                    {formatCount(health.calls)} calls, {formatCount(health.failures)} failed
                    {health.lastUsedAt !== undefined && `, used ${formatFromNow(health.lastUsedAt)}`}
                  </p>
                )}
                <ErrorText error={health?.lastError} class="tiny" />
                {error !== undefined && <p class="error-text">{error}</p>}
                {health === undefined && error === undefined && <span class="soft">–</span>}
              </td>
              <td>{source}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
