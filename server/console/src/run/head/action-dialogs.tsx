import type { Signal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { ActionDialog } from '../../parts/dialog.tsx'
import { mayDo, runtime } from '../../session/session.ts'
import { MORE_TOKENS } from './go-on.tsx'

/** Asks before a run is cancelled, and why. */
export function CancelRun({ id, opened }: { id: string; opened: Signal<boolean> }) {
  return (
    <ActionDialog
      label="Cancel"
      title="Cancel this run?"
      doLabel="Cancel the run"
      isDangerous
      opened={opened}
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
  )
}

/** Goes on, in a new run, with one that has ended without being completed. */
export function GoOnAnew({ id }: { id: string }) {
  const { route } = useLocation()
  return (
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
  )
}

/** Asks before a run is deleted. */
export function DeleteRun({ id }: { id: string }) {
  const { route } = useLocation()
  return (
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
      <p>Its log, its answer and its records are gone for good. Forks of it and what was remembered of it stay.</p>
    </ActionDialog>
  )
}
