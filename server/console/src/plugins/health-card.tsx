import { ErrorNote } from '../parts/error-note.tsx'
import { formatDuration } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { useLoad } from '../session/use-load.ts'
import { Section } from './section.tsx'

const EVERY_MS = 10_000

/** Whether the server can work, and what it found wrong with its runs. */
export function ServerHealth() {
  const health = useLoad((from) => from.health(), [], { everyMs: EVERY_MS })
  const inspection = useLoad((from) => from.inspect(), [], { everyMs: EVERY_MS })
  const { value } = health
  const issues = inspection.value?.issues ?? []
  return (
    <Section id="health" name="Health">
      <div class="body stack">
        <ErrorNote error={health.error ?? inspection.error} onRetry={health.reload} />
        {value !== undefined && (
          <dl class="facts">
            <dt>Server</dt>
            <dd>
              <Status of={value.status === 'ok' ? 'completed' : 'failed'} label={value.status} />
            </dd>
            <dt>Version</dt>
            <dd>{value.version}</dd>
            <dt>Up for</dt>
            <dd>{formatDuration(value.uptimeSeconds * 1_000)}</dd>
            <dt>Provider in force</dt>
            <dd>{value.provider}</dd>
            {Object.entries(value.checks ?? {}).map(([name, said]) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} said`}>{said}</dd>,
            ])}
          </dl>
        )}
        {value?.warnings.map(({ code, message }) => (
          <p key={`${code} ${message}`} class="untrusted-note">
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
    </Section>
  )
}

/** An event that shows an issue, written `<runId>:<seq>`. */
function Evidence({ place }: { place: string }) {
  const [, runId, seq] = /^(run_\w+):(\d+)$/.exec(place) ?? []
  if (runId === undefined) return <span>{place}</span>
  return <a href={`/console/runs/${runId}/timeline?at=${seq}`}>event {seq}</a>
}
