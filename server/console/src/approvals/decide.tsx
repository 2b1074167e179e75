import type { Approval, Decision } from '@svc/sdk/remote'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { oneLine, plural } from '../parts/format.ts'
import { runtime } from '../session/session.ts'
import { useAction } from '../session/use-action.ts'
import { type CallTarget, needsSecondStep } from './describe-approval.ts'
import { EditArguments } from './edit-arguments.tsx'
import { Grant } from './grant.tsx'
import { dropPending, reloadPending } from './pending.ts'

export interface ApprovalCardProps {
  approval: Approval
  /** What the call touches, as it is shown. */
  places: readonly CallTarget[]
  /** Whether all that the call would do was on the screen: nobody can approve it before. */
  isSeen: boolean
  /** Called when it is answered: the answer, or undefined where somebody else was first. */
  onResolved: (answered: Approval | undefined) => void
}

/** The second press of a double click, which may fall on a card that has just moved up, is none. */
const onPress = (act: () => void) => (event: MouseEvent) => {
  if (event.detail <= 1) act()
}

/** The answers to a call. None is chosen before, and no key sends one by itself. */
export function Decide({ approval, places, isSeen, onResolved }: ApprovalCardProps) {
  const { id, risk, tool } = approval
  const [step, setStep] = useState<'choose' | 'grant' | 'confirm' | 'deny' | 'edit'>('choose')
  const [yes, setYes] = useState<Decision>({ decision: 'approve' })
  const [isRead, setRead] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  const [note, setNote] = useState('')
  const unseenId = useId()
  const [first] = places
  const { act, isBusy, error } = useAction(async (decision: Decision) => {
    const answered = await runtime.value.approvals.resolve(id, decision)
    dropPending(id)
    onResolved(answered)
  })
  // The keyboard goes on where a step puts something in the place of another; no step begins at what approves.
  useLayoutEffect(() => {
    if (shown.current === step) return
    shown.current = step
    const field = step === 'choose' ? frame.current : frame.current?.querySelector<HTMLElement>('input, textarea')
    field?.focus()
  }, [step])
  const isDoubted = needsSecondStep(approval)
  const approve = (decision: Decision): void => {
    setYes(decision)
    if (isDoubted && step !== 'confirm') setStep('confirm')
    else void act(decision)
  }
  const faults = step === 'edit' ? (error?.errors ?? []) : []

  if (error?.code === 'approval_closed')
    return (
      <div class="row" role="status">
        <p>Somebody was quicker: this call has been decided already.</p>
        <button
          type="button"
          onClick={() => {
            dropPending(id)
            void reloadPending()
            onResolved(undefined)
          }}
        >
          Show how it stands
        </button>
      </div>
    )
  const back = (
    <button type="button" class="plain" onClick={() => setStep('choose')}>
      Back
    </button>
  )
  return (
    <div ref={frame} class="stack decide" tabIndex={-1}>
      {faults.length === 0 && <ErrorNote error={error} />}
      {step === 'choose' && (
        <>
          <p class="question">
            Allow <strong class="mono">{oneLine(tool, 80)}</strong>
            {first !== undefined && (
              <>
                , {first.kind} <code>{first.text}</code>
              </>
            )}
            {places.length > 1 && ` and ${plural(places.length - 1, 'other')}`}?
          </p>
          {!isSeen && (
            <p id={unseenId} class="warning small">
              Not all of it was on the screen yet. Look at what it would do, and at its arguments, to their end.
            </p>
          )}
          <div class="row">
            <button
              type="button"
              disabled={isBusy || !isSeen}
              aria-describedby={isSeen ? undefined : unseenId}
              onClick={onPress(() => approve({ decision: 'approve' }))}
            >
              Approve{isDoubted && '…'}
            </button>
            <button
              type="button"
              disabled={isBusy || !isSeen}
              aria-describedby={isSeen ? undefined : unseenId}
              onClick={onPress(() => setStep('grant'))}
            >
              Approve and do not ask again…
            </button>
            <button type="button" onClick={onPress(() => setStep('deny'))}>
              Deny…
            </button>
            <button type="button" class="plain" onClick={onPress(() => setStep('edit'))}>
              Edit arguments…
            </button>
          </div>
        </>
      )}
      {step === 'grant' && (
        <Grant
          approval={approval}
          isSending={isBusy}
          isSeen={isSeen}
          isFirst={isDoubted}
          onSend={approve}
          back={back}
        />
      )}
      {step === 'confirm' && (
        <div class="stack second-step">
          <label class="inline">
            <input type="checkbox" checked={isRead} onChange={(event) => setRead(event.currentTarget.checked)} />I have
            read what it would do, and it may {risk === 'network' ? 'send that out' : 'destroy that'}
          </label>
          <div class="row">
            <button
              type="button"
              class="danger"
              disabled={!isRead || !isSeen || isBusy}
              onClick={onPress(() => approve(yes))}
            >
              Approve {oneLine(tool, 80)}
            </button>
            {back}
          </div>
        </div>
      )}
      {step === 'deny' && (
        <>
          <label>
            Why not, for the agent to read (may be left empty)
            <textarea rows={2} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
          </label>
          <div class="row">
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => void act({ decision: 'deny', ...(note.trim() !== '' && { note: note.trim() }) })}
            >
              Deny
            </button>
            {back}
          </div>
        </>
      )}
      {step === 'edit' && (
        <EditArguments
          approval={approval}
          faults={faults}
          isSending={isBusy}
          onSend={(args) => void act({ decision: 'edit', args })}
          back={back}
        />
      )}
    </div>
  )
}
