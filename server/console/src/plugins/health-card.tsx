import { Card } from '../parts/card.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatDuration } from '../parts/format.ts'
import { EventLink } from '../parts/run-link.tsx'
import { Status } from '../parts/status.tsx'
import { useLoad } from '../session/use-load.ts'

const EVERY_MS = 10_000

/** Whether the server can work, and what it found wrong with its runs. */
export function HealthCard() {
  const health = useLoad((from) => from.health(), [], { everyMs: EVERY_MS })
  const inspection = useLoad((from) => from.inspect(), [], { everyMs: EVERY_MS })
  const { value } = health
  const issues = inspection.value?.issues ?? []
  return (
    <Card id="health" title="Health">
      <div class="body stack">
        <ErrorNote error={health.error ?? inspection.error} onRetry={health.reload} />
        {value !== undefined && (
          <Facts
            class=""
            of={[
              ['Server', <Status of={value.status === 'ok' ? 'completed' : 'failed'} label={value.status} />],
              ['Version', value.version],
              ['Up for', formatDuration(value.uptimeSeconds * 1_000)],
              ['Provider in force', value.provider],
              ...Object.entries(value.checks ?? {}),
            ]}
          />
        )}
        {value?.warnings.map(({ code, message }) => (
          <p key={`${code} ${message}`} class="warning">
            {message} <span class="mono tiny">{code}</span>
          </p>
        ))}
        {inspection.value !== undefined && (
          <p>
            Runs that are remembered: <strong>{inspection.value.grade}</strong>
            <span class="soft"> (the worst of them: {inspection.value.score.toFixed(2)} of 1)</span>
            {issues.length === 0 && ', no issues'}
          </p>
        )}
        {issues.length > 0 && (
          <ul class="stack">
            {issues.map((issue) => (
              <li key={`${issue.id} ${issue.firstAt}`}>
                <strong>{issue.severity}</strong> {issue.message} <span class="mono tiny soft">{issue.code}</span>
                {issue.fix !== undefined && <p class="soft small">{issue.fix}</p>}
                <p class="row tiny">
                  {issue.evidence.slice(0, 5).map((place) => (
                    <Evidence key={place} place={place} />
                  ))}
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

/** An event that shows an issue, written `<runId>:<seq>`. */
function Evidence({ place }: { place: string }) {
  const [, runId, seq] = /^(run_\w+):(\d+)$/.exec(place) ?? []
  return runId === undefined ? <span>{place}</span> : <EventLink id={runId} seq={Number(seq)} />
}
