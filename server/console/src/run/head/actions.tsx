import { useSignal } from '@preact/signals'
import { isTerminal } from '@svc/core/client'
import { useLocation } from 'preact-iso'
import { type Command, useCommands } from '../../keys/commands.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { saveRun } from '../../parts/save-file.ts'
import { earlierOf } from '../../runs/new-run/draft.ts'
import { runAgain } from '../../runs/new-run/new-run-state.ts'
import { Deciding } from '../../session/deciding.tsx'
import { useAction } from '../../session/use-action.ts'
import type { ShownRun } from '../shown-run.ts'
import { ForkDialog } from '../timeline/fork/fork-dialog.tsx'
import { CancelRun, DeleteRun, GoOnAnew } from './action-dialogs.tsx'
import { GoOn } from './go-on.tsx'

/** What one can do about a run as it stands: by its buttons, and by the command palette. */
export function Actions({ shown, parentRunId }: { shown: ShownRun; parentRunId: string | undefined }) {
  const { id, live, past, elsewhere } = shown
  const { route } = useLocation()
  const { status } = live.view
  const isEnded = isTerminal(status)
  const isThere = live.events.length > 0
  const isOurs = elsewhere === undefined
  const isCancelling = useSignal(false)
  const isForking = useSignal(false)
  const again = useAction(async () => {
    await runAgain(id)
    route('/console/runs')
  })
  const exporting = useAction(() => saveRun(id))
  const mayCancel = isOurs && !isEnded && status !== 'cancelling'
  const earlier = earlierOf(live.created?.data.options) ?? parentRunId
  const compared = isEnded && earlier !== undefined ? `/console/compare/${earlier}/${id}` : undefined
  const offered: (Omit<Command, 'group'> | false)[] = [
    mayCancel && { name: 'Stop the run', words: 'cancel', run: () => (isCancelling.value = true) },
    { name: 'Run again', words: 'repeat retry', keys: 'r', run: () => void again.act() },
    isOurs && { name: 'Fork', words: 'change', keys: 'f', run: () => (isForking.value = true) },
    compared !== undefined && {
      name: 'Compare with the earlier run',
      words: 'difference',
      run: () => route(compared),
    },
    { name: 'Copy the id of the run', run: () => void navigator.clipboard?.writeText(id).catch(() => {}) },
    { name: 'Save the run as a file', words: 'export download', run: () => void exporting.act() },
  ]
  useCommands(
    isThere ? offered.flatMap((command) => (command === false ? [] : { ...command, group: 'This run' as const })) : [],
  )
  if (!isThere) return null
  return (
    <div class="row run-actions">
      {!isOurs && (
        <p class="small soft">
          Of another folder, <span class="mono">{elsewhere}</span>: it can be read here. What is done about it is done
          there.
        </p>
      )}
      {mayCancel && <CancelRun id={id} opened={isCancelling} />}
      {/* Nobody works on it, and it can be taken up where it stands. */}
      {isOurs && shown.isLeft && status === 'running' && <GoOn id={id} />}
      {isOurs && isEnded && status !== 'completed' && <GoOnAnew id={id} />}
      <button type="button" disabled={again.isBusy} onClick={() => void again.act()}>
        Run again
      </button>
      {compared !== undefined && (
        <a class="button" href={compared}>
          Compare with the earlier one
        </a>
      )}
      {isOurs && (
        <button type="button" onClick={() => (isForking.value = true)}>
          Fork
        </button>
      )}
      {isOurs && isEnded && (
        <Deciding scope="admin">
          <DeleteRun id={id} />
        </Deciding>
      )}
      {navigator.clipboard === undefined ? (
        <code class="soft">{id}</code>
      ) : (
        <CopyButton text={id} label="Copy id" of="of the run" />
      )}
      <ErrorNote error={again.error} />
      <ErrorNote error={exporting.error} />
      {isForking.value && <ForkDialog id={id} live={live} past={past} onClose={() => (isForking.value = false)} />}
    </div>
  )
}
