import { isTerminal } from '@svc/core/client'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Deciding } from '../../session/deciding.tsx'
import { mayDo, runtime } from '../../session/session.ts'
import type { ShownRun } from '../shown-run.ts'

/** Tokens that a run is given more of unless somebody says another number. */
const MORE_TOKENS = 32_000

/** What one can do about a run as it stands. */
export function Actions({ shown: { id, live, elsewhere } }: { shown: ShownRun }) {
  const { route } = useLocation()
  const { status } = live.view
  const isEnded = isTerminal(status)
  if (live.events.length === 0) return null
  if (elsewhere !== undefined)
    return (
      <div class="row run-actions">
        <p class="small soft">
          Of another folder, <span class="mono">{elsewhere}</span>: it can be read here. What is done about it is done
          there.
        </p>
        <CopyId id={id} />
      </div>
    )
  return (
    <div class="row run-actions">
      {!isEnded && status !== 'cancelling' && (
        <ActionDialog
          label="Cancel"
          title="Cancel this run?"
          doLabel="Cancel the run"
          isDangerous
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
      <a class="button" href={`/console/runs/${id}/timeline`}>
        Fork
      </a>
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
