import { toVisibleJson } from '@svc/core/client'
import type { Approval, SvcError } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { onPress } from './decide-steps.tsx'
import { needsSecondStep } from './describe-approval.ts'

interface EditArgumentsProps {
  approval: Approval
  /** What the server found wrong with single arguments. */
  faults: NonNullable<SvcError['errors']>
  isSending: boolean
  onSend: (args: unknown) => void
  /** The button that leads back. */
  back: ComponentChildren
}

/** Where JSON is broken, in words; undefined where it is not. */
function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (thrown) {
    return `This is not JSON yet: ${(thrown as Error).message}`
  }
}

/** The arguments as JSON to be changed, with what the server says of each. */
export function EditArguments({ approval, faults, isSending, onSend, back }: EditArgumentsProps) {
  const [text, setText] = useState(() => toVisibleJson(JSON.stringify(approval.args, null, 2) ?? 'null'))
  const [isRead, setRead] = useState(!needsSecondStep(approval))
  const field = useRef<HTMLTextAreaElement>(null)
  const fault = jsonFault(text)
  const faultsId = useId()
  /** Marks the argument that a fault is about. */
  const find = (path: string): void => {
    const name = JSON.stringify(path.split('/').at(-1) ?? '')
    const at = text.indexOf(name)
    field.current?.focus()
    if (at >= 0) field.current?.setSelectionRange(at, at + name.length)
  }
  return (
    <div class="stack">
      <label>
        Arguments to call it with instead, as JSON
        <textarea
          ref={field}
          class="mono"
          rows={Math.min(20, text.split('\n').length + 1)}
          spellcheck={false}
          value={text}
          aria-invalid={fault !== undefined || faults.length > 0}
          aria-describedby={faultsId}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div id={faultsId} role="status">
        {fault !== undefined && <p class="error-text small">{fault}</p>}
        {faults.map(({ path, message }) => (
          <p key={`${path} ${message}`} class="error-text small">
            <button type="button" class="plain mono" onClick={() => find(path)}>
              {path.replace(/^\/args/, '') || '/'}
            </button>{' '}
            {message}
          </p>
        ))}
      </div>
      {needsSecondStep(approval) && (
        <label class="inline">
          <input type="checkbox" checked={isRead} onChange={(event) => setRead(event.currentTarget.checked)} />I have
          read what it would do with these arguments
        </label>
      )}
      <div class="row">
        <button
          type="button"
          disabled={fault !== undefined || isSending || !isRead}
          onClick={onPress(() => onSend(JSON.parse(text)))}
        >
          Approve with these arguments
        </button>
        {back}
      </div>
    </div>
  )
}
