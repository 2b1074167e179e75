import { shownStateOf } from '@svc/core/client'
import type { ComponentChildren } from 'preact'
import { formatCost, formatCount, formatDate, formatDuration, formatShort, oneLine, shortId } from '../parts/format.ts'
import { RunStatus } from '../parts/status.tsx'
import { clock } from '../session/clock.ts'
import { COLUMNS, type ColumnId } from './columns/columns.ts'
import { durationOf, type RunRow } from './run-list.ts'

export interface RowProps {
  run: RunRow
  index: number
  isChosen: boolean
  columns: readonly ColumnId[]
  /** @param isRange whether those between it and the one before are meant too */
  onChoose: (id: string, isChosen: boolean, isRange: boolean) => void
}

/** One run of the list: one line, or two on a narrow page and where its answer says what is searched for. */
export function Row({ run, index, isChosen, columns, onChoose }: RowProps) {
  const { id, status, left, task, found } = run
  const stands = shownStateOf(run)
  return (
    <div role="listitem" class="run-row" data-marked={isChosen} aria-setsize={-1} aria-posinset={index + 1}>
      <span class="mark">
        <input
          type="checkbox"
          checked={isChosen}
          aria-label={`Choose run ${shortId(id)}: ${oneLine(task, 80)}`}
          onClick={({ currentTarget, shiftKey }) => onChoose(id, currentTarget.checked, shiftKey)}
        />
      </span>
      <RunStatus stands={stands} label={left ? stands.text : status} />
      {columns.includes('verdict') && CELLS.verdict(run)}
      <a class="task clip" href={`/console/runs/${id}`} data-index={index} title={task}>
        {task || 'No task'}
      </a>
      {COLUMNS.map((column) => (column.id !== 'verdict' && columns.includes(column.id) ? CELLS[column.id](run) : null))}
      {found !== undefined && (
        <span class="found soft clip" title={found.text}>
          <span class="hidden-label">In the answer: </span>
          {found.text.slice(0, found.from)}
          <mark>{found.text.slice(found.from, found.to)}</mark>
          {found.text.slice(found.to)}
        </span>
      )}
    </div>
  )
}

/** The end of a path, which tells folders apart, and of a model, without its provider. */
const endOf = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? '–'

const CELLS: Readonly<Record<ColumnId, (run: RunRow) => ComponentChildren>> = {
  verdict(run) {
    const { verdict } = shownStateOf(run)
    return (
      <span key="verdict" class="verdict" data-verdict={verdict}>
        {verdict ?? '–'}
      </span>
    )
  },
  folder: ({ space = '' }) => (
    <span key="folder" class="folder soft clip" title={space}>
      {endOf(space)}
    </span>
  ),
  model: ({ models }) => (
    <span key="model" class="model soft clip" title={models.join(', ')}>
      {models.length === 0 ? '–' : endOf(models[0] ?? '')}
      {models.length > 1 && ` + ${models.length - 1}`}
    </span>
  ),
  topology: ({ topology }) => (
    <span key="topology" class="soft clip">
      {topology?.toLowerCase() ?? '–'}
    </span>
  ),
  mode: ({ mode }) => (
    <span key="mode" class="soft clip">
      {mode}
    </span>
  ),
  agents: ({ agents }) => (
    <span key="agents" class="number">
      {agents}
      <i>{agents === 1 ? ' agent' : ' agents'}</i>
    </span>
  ),
  tokens: ({ tokens }) => (
    <span key="tokens" class="number" title={`${formatCount(tokens)} tokens`}>
      {formatShort(tokens)}
      <i> tokens</i>
    </span>
  ),
  cost: ({ costUsd }) => (
    <span key="cost" class="number">
      {formatCost(costUsd)}
      {costUsd === null && <i class="hidden-label"> cost unknown</i>}
    </span>
  ),
  duration: (run) => <Duration key="duration" run={run} />,
  started: ({ createdAt }) => (
    <time key="started" class="started soft number clip" dateTime={createdAt} title={createdAt}>
      {formatDate(createdAt)}
    </time>
  ),
  key: ({ by = '–' }) => (
    <span key="key" class="soft clip" title={by}>
      {by}
    </span>
  ),
  tags: ({ tags }) => (
    <span key="tags" class="clip" title={tags.join(', ')}>
      {tags.map((tag) => (
        <span key={tag} class="pill">
          {tag}
        </span>
      ))}
    </span>
  ),
}

function Duration({ run }: { run: RunRow }) {
  const isRunning = shownStateOf(run).isAtWork && run.finishedAt === undefined
  return <span class="number">{formatDuration(durationOf(run, isRunning ? clock.value : 0))}</span>
}

interface HeadsProps {
  columns: readonly ColumnId[]
  count: number
  /** How many of the rows are chosen. */
  chosen: number
  onChooseAll: (isChosen: boolean) => void
}

/** What the columns are, above the rows of a wide page, and the choice of all rows. */
export function RowHeads({ columns, count, chosen, onChooseAll }: HeadsProps) {
  const isAll = count > 0 && chosen === count
  return (
    <div class="run-row heads">
      <span class="mark">
        <input
          type="checkbox"
          checked={isAll}
          ref={(input) => {
            if (input !== null) input.indeterminate = chosen > 0 && !isAll
          }}
          aria-label={`Choose all ${formatCount(count)} runs that are listed`}
          onChange={({ currentTarget }) => onChooseAll(currentTarget.checked)}
        />
      </span>
      <span aria-hidden="true">Status</span>
      {columns.includes('verdict') && <span aria-hidden="true">Verdict</span>}
      <span aria-hidden="true">Task</span>
      {COLUMNS.map((column) =>
        column.id !== 'verdict' && columns.includes(column.id) ? (
          <span key={column.id} aria-hidden="true" class={headClass(column)}>
            {column.name}
          </span>
        ) : null,
      )}
    </div>
  )
}

const headClass = ({ id, ...column }: (typeof COLUMNS)[number]): string =>
  'isNumber' in column ? 'number' : id === 'started' ? 'started' : ''
