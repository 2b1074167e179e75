import { shownStateOf } from '@svc/core/client'
import { formatCost, formatCount, formatDate, formatDuration, formatShort, shortId } from '../parts/format.ts'
import { Status } from '../parts/status.tsx'
import { clock } from '../session/clock.ts'
import { durationOf, type RunRow } from './run-list.ts'

export interface RowProps {
  run: RunRow
  index: number
  isMarked: boolean
  /** Whether it may be marked: two may. */
  isMarkable: boolean
  /** Whether there are runs of several folders. */
  hasFolder: boolean
  onMark: (id: string, isMarked: boolean) => void
}

/** One run of the list: one line, or two on a narrow page. */
export function Row({ run, index, isMarked, isMarkable, hasFolder, onMark }: RowProps) {
  const {
    id,
    status,
    left,
    task,
    space = '',
    topology,
    mode,
    agents,
    tokens,
    costUsd,
    createdAt,
    finishedAt,
    tags,
  } = run
  const { text, isAtWork, verdict = '–' } = shownStateOf(run)
  const now = isAtWork && finishedAt === undefined ? clock.value : 0
  return (
    <div role="listitem" class="run-row" data-marked={isMarked} aria-setsize={-1} aria-posinset={index + 1}>
      <span class="mark">
        <input
          type="checkbox"
          checked={isMarked}
          disabled={!isMarked && !isMarkable}
          aria-label={`Mark run ${shortId(id)} to compare it`}
          onChange={(event) => onMark(id, event.currentTarget.checked)}
        />
      </span>
      <Status of={left && status !== 'waiting' ? 'idle' : status} label={left ? text : status} />
      <a class="task clip" href={`/console/runs/${id}`} data-index={index} title={task}>
        {task || 'No task'}
      </a>
      {hasFolder && (
        <span class="soft clip" title={space}>
          {nameOf(space)}
        </span>
      )}
      <span class="medium soft verdict">{verdict}</span>
      <span class="medium soft clip">{topology?.toLowerCase() ?? '–'}</span>
      <span class="wide soft clip">{mode}</span>
      <span class="medium number">
        {agents}
        <i>{agents === 1 ? ' agent' : ' agents'}</i>
      </span>
      <span class="number" title={`${formatCount(tokens)} tokens`}>
        {formatShort(tokens)}
        <i> tokens</i>
      </span>
      <span class="number">
        {formatCost(costUsd)}
        {costUsd === null && <i class="hidden-label"> cost unknown</i>}
      </span>
      <span class="number">{formatDuration(durationOf(run, now))}</span>
      <time class="started soft number clip" dateTime={createdAt} title={createdAt}>
        {formatDate(createdAt)}
      </time>
      <span class="wide clip" title={tags.join(', ')}>
        {tags.map((tag) => (
          <span key={tag} class="pill">
            {tag}
          </span>
        ))}
      </span>
    </div>
  )
}

/** The end of a path, which tells folders apart. */
const nameOf = (space: string): string => space.split(/[/\\]/).filter(Boolean).at(-1) ?? '–'

/** What the columns are, above the rows of a wide page. */
export function RowHeads({ hasFolder }: Pick<RowProps, 'hasFolder'>) {
  return (
    <div class="run-row heads" aria-hidden="true">
      <span class="mark" />
      <span>Status</span>
      <span>Task</span>
      {hasFolder && <span>Folder</span>}
      <span class="medium">Verdict</span>
      <span class="medium">Topology</span>
      <span class="wide">Mode</span>
      <span class="medium number">Agents</span>
      <span class="number">Tokens</span>
      <span class="number">Cost</span>
      <span class="number">Duration</span>
      <span class="started">Started</span>
      <span class="wide">Tags</span>
    </div>
  )
}
