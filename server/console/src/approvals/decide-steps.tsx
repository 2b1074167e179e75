import type { Approval, Decision } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { oneLine, plural } from '../parts/format.ts'
import type { CallTarget } from './describe-approval.ts'

/** The second press of a double click, which may fall on a card that has just moved up, is none. */
export const onPress = (act: () => void) => (event: MouseEvent) => {
  if (event.detail <= 1) act()
}

/** What is asked: the tool, and the first place that it touches. */
export function Question({ tool, places: [first, ...others] }: { tool: string; places: readonly CallTarget[] }) {
  return (
    <p class="question">
      Allow <strong class="mono">{oneLine(tool, 80)}</strong>
      {first !== undefined && (
        <>
          , {first.kind} <code>{first.text}</code>
        </>
      )}
      {others.length > 0 && ` and ${plural(others.length, 'other')}`}?
    </p>
  )
}

interface ConfirmProps {
  approval: Approval
  isOff: boolean
  onSend: () => void
  back: ComponentChildren
}

/** The second step of what cannot be taken back. */
export function Confirm({ approval: { risk, tool }, isOff, onSend, back }: ConfirmProps) {
  const [isRead, setRead] = useState(false)
  return (
    <div class="stack second-step">
      <label class="inline">
        <input type="checkbox" checked={isRead} onChange={(event) => setRead(event.currentTarget.checked)} />I have read
        what it would do, and it may {risk === 'network' ? 'send that out' : 'destroy that'}
      </label>
      <div class="row">
        <button type="button" class="danger" disabled={!isRead || isOff} onClick={onPress(onSend)}>
          Approve {oneLine(tool, 80)}
        </button>
        {back}
      </div>
    </div>
  )
}

interface DenyProps {
  note: string
  onNote: (note: string) => void
  isSending: boolean
  onSend: (decision: Decision) => void
  back: ComponentChildren
}

/** The answer no, with a word for the agent. */
export function Deny({ note, onNote, isSending, onSend, back }: DenyProps) {
  return (
    <>
      <label>
        Why not, for the agent to read (may be left empty)
        <textarea rows={2} value={note} onInput={(event) => onNote(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button
          type="button"
          class="danger"
          disabled={isSending}
          onClick={() => onSend({ decision: 'deny', ...(note.trim() !== '' && { note: note.trim() }) })}
        >
          Deny
        </button>
        {back}
      </div>
    </>
  )
}
