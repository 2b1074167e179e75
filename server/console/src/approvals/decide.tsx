import type { Approval, Decision } from '@svc/sdk/remote'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { runtime } from '../session/session.ts'
import { useAction } from '../session/use-action.ts'
import { Confirm, Deny, onPress, Question } from './decide-steps.tsx'
import { type CallTarget, needsSecondStep } from './describe-approval.ts'
import { EditArguments } from './edit-arguments.tsx'
import { Grant } from './grant.tsx'
import { dropPending, reloadPending } from './pending.ts'

export interface DecideProps {
  approval: Approval
  /** What the call touches, as it is shown. */
  places: readonly CallTarget[]
  /** Whether all that the call would do was on the screen: nobody can approve it before. */
  isSeen: boolean
  /** Called when it is answered: the answer, or undefined where somebody else was first. */
  onResolved: (answered: Approval | undefined) => void
}

/** The answers to a call. None is chosen before, and no key sends one by itself. */
export function Decide({ approval, places, isSeen, onResolved }: DecideProps) {
  const { id, tool } = approval
  const [step, setStep] = useState<'choose' | 'grant' | 'confirm' | 'deny' | 'edit'>('choose')
  const [yes, setYes] = useState<Decision>({ decision: 'approve' })
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  const [note, setNote] = useState('')
  const unseenId = useId()
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
          <Question tool={tool} places={places} />
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
        <Confirm approval={approval} isOff={!isSeen || isBusy} onSend={() => approve(yes)} back={back} />
      )}
      {step === 'deny' && (
        <Deny note={note} onNote={setNote} isSending={isBusy} onSend={(decision) => void act(decision)} back={back} />
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
