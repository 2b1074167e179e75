import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** What a control needs to be tied to its label, hint and problem. */
export interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps {
  label: ComponentChildren
  /** What it means, in a few words. */
  hint?: string | undefined
  /** What is wrong with what was entered. */
  problem?: string | undefined
  class?: string
  children: (props: ControlProps) => ComponentChildren
}

/** One thing to enter: label, control, what is wrong with it, and a hint. */
export function Field({ label, hint, problem, class: extra = '', children }: FieldProps) {
  const id = useId()
  const notes = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])]
  return (
    <div class={`field ${extra}`}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': notes.join(' ') || undefined })}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="error-text tiny" role="alert">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="soft tiny">
          {hint}
        </p>
      )}
    </div>
  )
}
