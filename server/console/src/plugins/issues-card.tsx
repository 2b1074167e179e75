import type { Inspection } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { formatCount, formatFromNow, plural, shortId } from '../parts/format.ts'
import { groupIssues, type IssueGroup } from './group-issues.ts'
import type { Sought } from './none-fits.tsx'

const MOST_EVIDENCE = 8

/** What is wrong with runs that are remembered, equal findings as one; each opens into its events. */
export function IssuesCard({ inspection, sought }: { inspection: Inspection } & Sought) {
  const groups = groupIssues(inspection.issues)
  const shown = groups.filter(({ newest: { message, code, fix = '' } }) => sought(message, code, fix))
  return (
    <Card
      id="issues"
      title="Issues"
      note={`${plural(inspection.issues.length, 'finding')} in the runs of this process`}
    >
      {shown.length === 0 ? (
        <p class="empty">{groups.length === 0 ? 'No issues were found.' : 'No issue fits.'}</p>
      ) : (
        <ul class="issues">
          {shown.map((group) => (
            <li key={`${group.newest.code} ${group.newest.message}`}>
              <One {...group} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function One({ newest: { severity, message, code, fix, firstAt }, count, evidence }: IssueGroup) {
  return (
    <details>
      <summary>
        <span class="pill" data-status={severity === 'info' ? 'queued' : severity === 'warn' ? 'incomplete' : 'failed'}>
          {severity}
        </span>{' '}
        {message} <span class="mono tiny soft">{code}</span>
        <span class="tiny soft">
          {count > 1 && ` ${formatCount(count)} times,`} {formatFromNow(firstAt)}
        </span>
      </summary>
      {fix !== undefined && <p class="small">{fix}</p>}
      <p class="row tiny">
        {evidence.slice(0, MOST_EVIDENCE).map((place) => (
          <Evidence key={place} place={place} />
        ))}
        {evidence.length > MOST_EVIDENCE && <span class="soft">{`and ${evidence.length - MOST_EVIDENCE} more`}</span>}
      </p>
    </details>
  )
}

/** An event that shows an issue, written `<runId>:<seq>`. */
function Evidence({ place }: { place: string }) {
  const [, runId, seq] = /^(run_\w+):(\d+)$/.exec(place) ?? []
  if (runId === undefined) return <span>{place}</span>
  return (
    <a href={`/console/runs/${runId}/timeline?at=${seq}`}>
      run {shortId(runId)}, event {seq}
    </a>
  )
}
