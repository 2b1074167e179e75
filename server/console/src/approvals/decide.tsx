import type { Approval, Decision, SvcError } from '@svc/sdk/remote'
import { useId, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import { needsSecondStep } from './describe-approval.ts'
import { EditArguments, type FieldFault, faultsOf } from './edit-arguments.tsx'
import { dropPending, reloadPending } from './pending.ts'

export interface ApprovalCardProps {
  approval: Approval
  /** Called when it is answered: the answer, or undefined where somebody else was first. */
  onResolved: (answered: Approval | undefined) => void
}

/**
 * The answers to a call. None is chosen before, no key sends one by itself, and the second press of a double click, which
 * may fall on a card that has just moved up, is none.
 */
export function Decide({ approval, onResolved }: ApprovalCardProps) {
  const { id } = approval
  const [step, setStep] = useState<'choose' | 'confirm' | 'deny' | 'edit'>('choose')
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<SvcError | undefined>()
  const [faults, setFaults] = useState<readonly FieldFault[]>([])
  const [isClosed, setClosed] = useState(false)
  const [remember, setRemember] = useState<'once' | 'run'>('once')
  const isBusy = useRef(false)
  const name = useId()

  const send = async (decision: Decision): Promise<void> => {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    setError(undefined)
    setFaults([])
    try {
      const answered = await runtime.value.approvals.resolve(id, decision)
      dropPending(id)
      onResolved(answered)
    } catch (thrown) {
      const failed = toError(thrown)
      const fields = faultsOf(failed)
      if (failed.code === 'approval_closed') setClosed(true)
      else if (fields.length > 0 && decision.decision === 'edit') setFaults(fields)
      else setError(failed)
    } finally {
      isBusy.current = false
      setSending(false)
    }
  }
  const onPress = (act: () => void) => (event: MouseEvent) => {
    if (event.detail <= 1) act()
  }
  const approve = (): Promise<void> => send({ decision: 'approve', remember })

  if (isClosed) {
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
  }
  return (
    <div class="stack decide">
      <ErrorNote error={error} />
      {step === 'choose' && (
        <>
          <fieldset class="row small">
            <legend class="hidden-label">What an approval is for</legend>
            <label class="inline">
              <input type="radio" name={name} checked={remember === 'once'} onChange={() => setRemember('once')} />
              For this call
            </label>
            <label class="inline">
              <input type="radio" name={name} checked={remember === 'run'} onChange={() => setRemember('run')} />
              For every equal call of the run
            </label>
          </fieldset>
          <div class="row">
            <button
              type="button"
              disabled={isSending}
              onClick={onPress(() => (needsSecondStep(approval) ? setStep('confirm') : void approve()))}
            >
              Approve{needsSecondStep(approval) && '…'}
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
      {step === 'confirm' && (
        <Confirm approval={approval} isSending={isSending} onYes={onPress(approve)} onBack={() => setStep('choose')} />
      )}
      {step === 'deny' && (
        <Deny
          isSending={isSending}
          onDeny={(note) => void send({ decision: 'deny', ...(note !== '' && { note }) })}
          onBack={() => setStep('choose')}
        />
      )}
      {step === 'edit' && (
        <EditArguments
          approval={approval}
          faults={faults}
          isSending={isSending}
          onSend={(args) => void send({ decision: 'edit', args, remember })}
          onBack={() => setStep('choose')}
        />
      )}
    </div>
  )
}

interface StepProps {
  isSending: boolean
  onBack: () => void
}

/** The second step before something that cannot be undone. */
function Confirm(props: StepProps & { approval: Approval; onYes: (event: MouseEvent) => void }) {
  const { approval, isSending, onYes, onBack } = props
  const [isRead, setRead] = useState(false)
  return (
    <div class="stack second-step">
      <label class="inline">
        <input type="checkbox" checked={isRead} onChange={(event) => setRead(event.currentTarget.checked)} />I have read
        what it would do, and it may {approval.risk === 'network' ? 'send that out' : 'destroy that'}
      </label>
      <div class="row">
        <button type="button" class="danger" disabled={!isRead || isSending} onClick={onYes}>
          Approve {approval.tool}
        </button>
        <button type="button" class="plain" onClick={onBack}>
          Back
        </button>
      </div>
    </div>
  )
}

function Deny({ isSending, onDeny, onBack }: StepProps & { onDeny: (note: string) => void }) {
  const [note, setNote] = useState('')
  return (
    <div class="stack">
      <label>
        Why not, for the agent to read (may be left empty)
        <textarea rows={2} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="button" class="danger" disabled={isSending} onClick={() => onDeny(note.trim())}>
          Deny
        </button>
        <button type="button" class="plain" onClick={onBack}>
          Back
        </button>
      </div>
    </div>
  )
}
