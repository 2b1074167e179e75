import { type Signal, useSignal } from '@preact/signals'
import { findForkPoint, ValidationError } from '@svc/core/client'
import type { ForkInput } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { FormDialog } from '../../../parts/dialog.tsx'
import { formatCount } from '../../../parts/format.ts'
import { RequestKeys } from '../../../session/request-keys.ts'
import { runtime } from '../../../session/session.ts'
import type { RunState } from '../../../state/run-state.ts'
import { CHOICES, type Chosen, type ForkDraft, toEdits, toForkDraft } from './fork-edits.ts'
import { forkFields } from './fork-fields.tsx'
import { ForkPointNote } from './fork-point-note.tsx'
import './fork.css'

interface ForkProps {
  id: string
  live: RunState
  /** The event that a person chose to begin after; undefined: what is changed says it. */
  atSeq?: number | undefined
  past: Signal<number | undefined>
  onClose: () => void
}

/** Begins another run that keeps what a change does not reach, or what was done up to an event. */
export function ForkDialog({ id, live, atSeq, past, onClose }: ForkProps) {
  const { route } = useLocation()
  const keys = useMemo(() => new RequestKeys(), [])
  const before = useMemo(() => toForkDraft(live), [live])
  const draft = useSignal<ForkDraft>(before)
  const chosen = useSignal<ReadonlySet<Chosen>>(new Set(['task'] as const))
  const known = { ...before, result: resultOf(live, draft.value.callId) }
  const { edits, problems } = toEdits(draft.value, known, chosen.value)
  const isEdited = Object.keys(edits).length > 0
  const point = findForkPoint(live.events, edits, atSeq)
  const canPlan = before.plan !== ''
  const calls = live.view.toolCalls.filter(({ status, seq = 0 }) => status === 'completed' && seq <= (atSeq ?? seq))
  const start = async (): Promise<void> => {
    if (Object.keys(problems).length > 0)
      throw new ValidationError('validation_failed', 'Correct what is marked first.')
    const input: ForkInput = { ...(atSeq !== undefined && { atSeq }), ...(isEdited && { edits }) }
    const made = await runtime.value.runs.fork(id, input, { idempotencyKey: keys.keyOf(input) })
    past.value = undefined
    route(`/console/runs/${made.id}`)
  }
  const choose = (choice: Chosen): void => {
    const next = new Set(chosen.value)
    if (!next.delete(choice)) next.add(choice)
    chosen.value = next
  }
  return (
    <FormDialog
      class="fork"
      title={atSeq === undefined ? 'Fork this run' : `Fork from event ${formatCount(atSeq)}`}
      doLabel="Start the fork"
      backLabel="Cancel"
      isOpen
      onDo={start}
      onClose={onClose}
    >
      {(problemOf) => (
        <>
          <p class="soft">
            A new run takes over the answers and results recorded before the fork, without asking for them again. This
            run stays as it is.
          </p>
          <fieldset class="row choices">
            <legend>What to change</legend>
            {CHOICES.filter(
              ([name]) => (name !== 'plan' || canPlan) && (name !== 'toolResults' || calls.length > 0),
            ).map(([name, label]) => (
              <button
                key={name}
                type="button"
                class="small"
                aria-pressed={chosen.value.has(name)}
                onClick={() => choose(name)}
              >
                {label}
              </button>
            ))}
          </fieldset>
          {forkFields({
            draft: draft.value,
            chosen: chosen.value,
            calls,
            problemOf: (name, path) => problems[name] ?? problemOf(path),
            onEnter: (changes) => {
              draft.value = { ...draft.value, ...changes }
            },
          })}
          <ForkPointNote point={point} isGiven={atSeq !== undefined} />
        </>
      )}
    </FormDialog>
  )
}

const resultOf = ({ view }: RunState, callId: string): string =>
  view.toolCalls.find((call) => call.callId === callId)?.result ?? ''
