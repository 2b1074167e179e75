import type { ReplayResult, RunEvent } from '@svc/core'
import { findEventChanges } from '@svc/core/recordings'
import { linesOf } from './diff.ts'
import { fit } from './width.ts'

/** Columns of a line where nobody's terminal bounds it. */
const MOST_COLUMNS = 160
/** Differences that are shown; the others are counted. */
const MOST_SHOWN = 5

/** Whether a run went as it is recorded, else where it first did not, and in what. */
export function renderReplay({ identical, firstDivergence }: ReplayResult, columns: number): string {
  if (identical || firstDivergence === undefined) return 'identical'
  const width = Math.min(columns, MOST_COLUMNS)
  const [expected, actual] = [firstDivergence.expected, firstDivergence.actual] as (RunEvent | null)[]
  const title = `differs from event ${firstDivergence.seq} on`
  if (!expected || !actual || expected.type !== actual.type)
    return [title, `  - ${fit(toText(expected), width - 4)}`, `  + ${fit(toText(actual), width - 4)}`].join('\n')
  const changes = findEventChanges(expected, actual)
  const shown = changes.slice(0, MOST_SHOWN).flatMap((change) => linesOf(change, width))
  const more = changes.length > MOST_SHOWN ? [`  and ${changes.length - MOST_SHOWN} more`] : []
  return [`${title}: ${nameOf(actual)}`, ...shown, ...more].join('\n')
}

const nameOf = ({ type, stage, stepId, agentId }: RunEvent): string =>
  [type, stage, stepId, agentId].filter((part) => part !== undefined).join(' ')

const toText = (event: RunEvent | null | undefined): string =>
  event ? `${nameOf(event)} ${JSON.stringify(event.data)}` : 'nothing'
