import { useSignal } from '@preact/signals'
import { shownStateOf, toShownText } from '@svc/core/client'
import type { SvcError } from '@svc/sdk/remote'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorText } from '../../parts/error-note.tsx'
import { plural, shortId } from '../../parts/format.ts'
import { runtime } from '../../session/session.ts'
import { toError } from '../../session/use-load.ts'
import type { RunRow } from '../run-list.ts'
import type { BulkAct } from './chosen.ts'

/** Runs about which something is done at the same time. */
const AT_ONCE = 4

const WORDS = {
  cancel: {
    title: 'Cancel',
    doing: 'Cancelling',
    done: 'Cancelled',
    about: 'What is done so far is kept. A cancelled run can be gone on with later, as a new run.',
  },
  delete: {
    title: 'Delete',
    doing: 'Deleting',
    done: 'Deleted',
    about: 'Logs, answers and records are gone for good. Forks and what was remembered of the runs stay.',
  },
} as const

/** Why it is not done about others that are chosen. */
const ACT_LEFT = { cancel: 'ended already', delete: 'not ended yet' } as const

interface Failure {
  run: RunRow
  error: SvcError
}

interface BulkDialogProps {
  act: BulkAct
  runs: readonly RunRow[]
  /** How many others are chosen, about which it cannot be done. */
  others: number
  /** Called for each run about which it was done. */
  onDone: (id: string) => void
  onClose: () => void
}

/** Asks once, with all that it is about; then says how far it is, and what failed. */
export function BulkDialog({ act, runs: asked, others, onDone, onClose }: BulkDialogProps) {
  const words = WORDS[act]
  // What is decided about is what was shown when the question was asked.
  const { value: runs } = useSignal(asked)
  const done = useSignal<number | undefined>(undefined)
  const failures = useSignal<readonly Failure[]>([])
  const isStopped = useSignal(false)
  const isOver = done.value !== undefined && (done.value + failures.value.length === runs.length || isStopped.value)

  const work = async (): Promise<void> => {
    const { runs: calls } = runtime.peek()
    const left = [...runs]
    done.value = 0
    const next = async (): Promise<void> => {
      for (let run = left.shift(); run !== undefined && !isStopped.peek(); run = left.shift()) {
        try {
          await (act === 'delete' ? calls.delete(run.id) : calls.cancel(run.id))
          onDone(run.id)
          done.value = (done.peek() ?? 0) + 1
        } catch (thrown) {
          failures.value = [...failures.peek(), { run, error: toError(thrown) }]
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
    if (failures.peek().length === 0 && !isStopped.peek()) onClose()
  }

  return (
    <Dialog
      isOpen
      label={`${words.title} ${plural(runs.length, 'run')}?`}
      class="bulk"
      onClose={() => {
        isStopped.value = true
        onClose()
      }}
    >
      <div class="stack">
        <h2>
          {words.title} {plural(runs.length, 'run')}?
        </h2>
        {done.value === undefined && (
          <>
            <p>
              {words.about}
              {others > 0 &&
                ` ${plural(others, 'other chosen run')} left as ${others === 1 ? 'it is' : 'they are'}: ${ACT_LEFT[act]}.`}
            </p>
            <RunNames runs={runs} />
            <div class="row">
              <button type="button" class="danger" onClick={() => void work()}>
                {words.title} {plural(runs.length, 'run')}
              </button>
              <button type="button" onClick={onClose}>
                Back
              </button>
            </div>
          </>
        )}
        <p role="status" class={done.value === undefined ? 'hidden-label' : ''}>
          {done.value !== undefined &&
            `${isOver ? words.done : words.doing}: ${done.value} of ${runs.length}${failures.value.length > 0 ? `; failed: ${failures.value.length}` : ''}`}
        </p>
        {failures.value.length > 0 && (
          <ul class="bulk-runs" tabIndex={0} aria-label="What failed, and why">
            {failures.value.map(({ run, error }) => (
              <li key={run.id}>
                <b>{nameOf(run)}</b>
                <ErrorText error={error} class="small" />
              </li>
            ))}
          </ul>
        )}
        {done.value !== undefined && (
          <div class="row">
            {isOver ? (
              <button type="button" class="primary" onClick={onClose}>
                Close
              </button>
            ) : (
              <button type="button" onClick={() => (isStopped.value = true)}>
                Stop
              </button>
            )}
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** Which runs it is about, as a decision needs it. */
function RunNames({ runs }: { runs: readonly RunRow[] }) {
  return (
    <ul class="bulk-runs" tabIndex={0} aria-label="The runs">
      {runs.map((run) => (
        <li key={run.id}>
          {nameOf(run)} <span class="soft small">{shownStateOf(run).text}</span>
        </li>
      ))}
    </ul>
  )
}

const nameOf = ({ id, task }: RunRow): string => `${toShownText(task) || 'No task'} · ${shortId(id)}`
