import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useAction } from '../session/use-action.ts'
import { ErrorNote } from './error-note.tsx'

interface DialogProps {
  isOpen: boolean
  /** Its name, for people who cannot see it. */
  label: string
  class?: string
  /** It stays until what it asks for is given. */
  isLocked?: boolean
  onClose?: () => void
  children: ComponentChildren
}

/** Something over the page that has to be ended before one goes on. */
export function Dialog({ isOpen, label, class: name, isLocked = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!isOpen) dialog.current?.close()
    else if (!dialog.current?.open) dialog.current?.showModal()
  }, [isOpen])
  // Taken out of the page while it is open, it would take the focus with it.
  useLayoutEffect(() => () => dialog.current?.close(), [])
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onClose={onClose}
      onCancel={(event) => isLocked && event.preventDefault()}
    >
      {children}
    </dialog>
  )
}

interface FormDialogProps extends Omit<DialogProps, 'label' | 'children'> {
  title: string
  /** Of the button that does it. */
  doLabel: string
  /** Of the button that goes back. */
  backLabel?: string
  isDangerous?: boolean
  /** Called with what was entered. What it throws is shown; else the dialog closes. */
  onDo: (entered: FormData) => Promise<void>
  /** What is entered; called with what the server found wrong with a field, by the beginning of its path. */
  children: ComponentChildren | ((problemOf: (path: string) => string | undefined) => ComponentChildren)
}

/** A form over the page. */
export function FormDialog(props: FormDialogProps) {
  const { title, doLabel, backLabel = 'Back', isDangerous = false, onDo, children, ...dialog } = props
  const { act, isBusy, error } = useAction(async (entered: FormData) => {
    await onDo(entered)
    dialog.onClose?.()
  })
  const said = new Set<unknown>()
  const problemOf = (path: string): string | undefined => {
    const found = error?.errors?.find((one) => one.path.startsWith(path))
    said.add(found)
    return found?.message
  }
  const fields = typeof children === 'function' ? children(problemOf) : children
  const isSaid = error?.errors?.every((one) => said.has(one)) ?? false
  return (
    <Dialog {...dialog} label={title}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void act(new FormData(event.currentTarget))
        }}
      >
        <h2>{title}</h2>
        {fields}
        {!isSaid && <ErrorNote error={error} />}
        <div class="row">
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
            {doLabel}
          </button>
          {dialog.onClose !== undefined && (
            <button type="button" onClick={dialog.onClose}>
              {backLabel}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

interface ActionDialogProps extends Omit<FormDialogProps, 'isOpen' | 'onClose'> {
  /** Of the button that opens it. */
  label: string
  /** Whether it is open, for those who open it otherwise too. */
  opened?: Signal<boolean>
  /** Looks of that button. */
  tone?: 'primary' | 'danger'
}

/** A button that asks in a dialog before it does something. */
export function ActionDialog({ label, tone, opened, ...dialog }: ActionDialogProps) {
  const own = useSignal(false)
  const isOpen = opened ?? own
  return (
    <>
      <button type="button" class={tone} onClick={() => (isOpen.value = true)}>
        {label}
      </button>
      <FormDialog {...dialog} isOpen={isOpen.value} onClose={() => (isOpen.value = false)} />
    </>
  )
}
