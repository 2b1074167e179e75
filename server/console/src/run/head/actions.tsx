import { useSignal } from '@preact/signals'
import { isTerminal } from '@svc/core/client'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useCommands } from '../../keys/commands.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { saveRun } from '../../parts/save-file.ts'
import { earlierOf } from '../../runs/new-run/draft.ts'
import { runAgain } from '../../runs/new-run/new-run-state.ts'
import { Deciding } from '../../session/deciding.tsx'
import { mayDo, runtime } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import type { ShownRun } from '../shown-run.ts'
import { ForkDialog } from '../timeline/fork/fork-dialog.tsx'
import { GoOn, MORE_TOKENS } from './go-on.tsx'

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
  /** Nobody works on it, and it can be taken up where it stands. */
  const isLeft = shown.isLeft && status === 'running'
  const mayCancel = !isEnded && status !== 'cancelling'
  const earlier = earlierOf(live.created?.data.options) ?? parentRunId
  const compared = isEnded && earlier !== undefined ? `/console/compare/${earlier}/${id}` : undefined
  const group = 'This run'
  useCommands(
    isThere
      ? [
          ...(mayCancel && isOurs
            ? [{ name: 'Stop the run', words: 'cancel', group, run: () => (isCancelling.value = true) } as const]
            : []),
          { name: 'Run again', words: 'repeat retry', group, keys: 'r', run: () => void again.act() },
          ...(isOurs
            ? [{ name: 'Fork', words: 'change', group, keys: 'f', run: () => (isForking.value = true) } as const]
            : []),
          ...(compared === undefined
            ? []
            : [
                {
                  name: 'Compare with the earlier run',
                  words: 'difference',
                  group,
                  run: () => route(compared),
                } as const,
              ]),
          { name: 'Copy the id of the run', group, run: () => void navigator.clipboard?.writeText(id).catch(() => {}) },
          { name: 'Save the run as a file', words: 'export download', group, run: () => void exporting.act() },
        ]
      : [],
  )
  if (!isThere) return null
  const common = (
    <>
      <button type="button" disabled={again.isBusy} onClick={() => void again.act()}>
        Run again
      </button>
      {compared !== undefined && (
        <a class="button" href={compared}>
          Compare with the earlier one
        </a>
      )}
    </>
  )
  const problems = (
    <>
      <ErrorNote error={again.error} />
      <ErrorNote error={exporting.error} />
    </>
  )
  if (!isOurs)
    return (
      <div class="row run-actions">
        <p class="small soft">
          Of another folder, <span class="mono">{elsewhere}</span>: it can be read here. What is done about it is done
          there.
        </p>
        {common}
        <CopyId id={id} />
        {problems}
      </div>
    )
  return (
    <div class="row run-actions">
      {mayCancel && (
        <ActionDialog
          label="Cancel"
          title="Cancel this run?"
          doLabel="Cancel the run"
          isDangerous
          opened={isCancelling}
          onDo={async (entered) => {
            const reason = String(entered.get('reason') ?? '').trim()
            await runtime.value.runs.cancel(id, reason === '' ? undefined : reason)
          }}
        >
          <p>What is done so far is kept. A cancelled run can be gone on with later, as a new run.</p>
          <label>
            Reason, if you like
            <input name="reason" maxLength={500} autocomplete="off" />
          </label>
        </ActionDialog>
      )}
      {isLeft && <GoOn id={id} />}
      {isEnded && status !== 'completed' && (
        <ActionDialog
          label="Go on"
          title="Go on with this run"
          doLabel="Go on"
          tone="primary"
          onDo={async (entered) => {
            const addBudget = Number(entered.get('tokens'))
            const { id: next } = await runtime.value.runs.resume(id, addBudget > 0 ? { addBudget } : {})
            route(`/console/runs/${next}`)
          }}
        >
          <p>A new run takes over what is recorded here: nothing that is done is done again.</p>
          {mayDo('admin') && (
            <label>
              Tokens to add to its budget
              <input name="tokens" type="number" min={0} step={1000} defaultValue={String(MORE_TOKENS)} />
            </label>
          )}
        </ActionDialog>
      )}
      {common}
      <button type="button" onClick={() => (isForking.value = true)}>
        Fork
      </button>
      {isEnded && (
        <Deciding scope="admin">
          <ActionDialog
            label="Delete"
            title="Delete this run?"
            doLabel="Delete for good"
            isDangerous
            onDo={async () => {
              await runtime.value.runs.delete(id)
              route('/console/runs')
            }}
          >
            <p>
              Its log, its answer and its records are gone for good. Forks of it and what was remembered of it stay.
            </p>
          </ActionDialog>
        </Deciding>
      )}
      <CopyId id={id} />
      {problems}
      {isForking.value && <ForkDialog id={id} live={live} past={past} onClose={() => (isForking.value = false)} />}
    </div>
  )
}

function CopyId({ id }: { id: string }) {
  const [isCopied, setCopied] = useState(false)
  // Pages that came over plain HTTP from another machine have no clipboard: the id is there to be marked by hand.
  if (navigator.clipboard === undefined) return <code class="soft">{id}</code>
  return (
    <button
      type="button"
      title={id}
      onClick={async () => {
        await navigator.clipboard.writeText(id).catch(() => undefined)
        setCopied(true)
        setTimeout(() => setCopied(false), 2_000)
      }}
    >
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy id'}</span>
    </button>
  )
}
