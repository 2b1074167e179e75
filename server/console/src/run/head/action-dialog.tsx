import type { SvcError } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { toError } from '../../session/use-load.ts'

export interface ActionDialogProps {
  /** Of the button that opens it. */
  label: string
  title: string
  /** Of the button that does it. */
  doLabel: string
  isDangerous?: boolean
  isPrimary?: boolean
  /** Called with what was entered. What it throws is shown. */
  onDo: (entered: FormData) => Promise<void>
  children: ComponentChildren
}

/** A button that asks in a dialog before it does something. */
export function ActionDialog({ label, title, doLabel, isDangerous, isPrimary, onDo, children }: ActionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<SvcError | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await onDo(new FormData(event.currentTarget as HTMLFormElement))
      dialog.current?.close()
    } catch (thrown) {
      setError(toError(thrown))
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <form class="stack" onSubmit={submit}>
          <h2 id={id}>{title}</h2>
          {children}
          <ErrorNote error={error} />
          <div class="row">
            <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
              {doLabel}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Back
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
