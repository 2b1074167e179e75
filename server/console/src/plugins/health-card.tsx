import type { Inspection } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatDuration } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { type Loaded, useLoad } from '../session/use-load.ts'

const EVERY_MS = 10_000

/** Whether the server can work, and how its runs fare. */
export function HealthCard({ inspection }: { inspection: Loaded<Inspection> }) {
  const health = useLoad((from) => from.health(), [], { everyMs: EVERY_MS })
  const { value } = health
  const { grade, score, issues } = inspection.value ?? {}
  return (
    <Card id="health" title="Health">
      <div class="body stack">
        <ErrorNote error={health.error ?? inspection.error} onRetry={health.reload} />
        {value !== undefined && (
          <Facts
            class=""
            of={[
              ['Server', <Status of={value.status === 'ok' ? 'completed' : 'failed'} label={value.status} />],
              ['Up for', formatDuration(value.uptimeSeconds * 1_000)],
              [
                'Runs',
                score !== undefined && (
                  <>
                    <strong>{grade}</strong>
                    <span class="soft"> (the worst of them: {score.toFixed(2)} of 1)</span>
                    {issues?.length === 0 ? (
                      ', no issues'
                    ) : (
                      <>
                        , <a href="#issues">issues</a>
                      </>
                    )}
                  </>
                ),
              ],
              ...Object.entries(value.checks ?? {}),
            ]}
          />
        )}
        {value?.warnings.map(({ code, message }) => (
          <p key={`${code} ${message}`} class="warning">
            {message} <span class="mono tiny">{code}</span>
          </p>
        ))}
      </div>
    </Card>
  )
}
