import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Field } from './draft.ts'
import { problems } from './new-run-state.ts'

/** What a field needs to be tied to its label, hint and problem. */
export interface EntryProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface Props {
  name: Field
  label: string
  /** What it means, in a few words. */
  hint?: string
  class?: string
  children: (props: EntryProps) => ComponentChildren
}

/** One thing to enter: label, hint, and what is wrong with it. */
export function Entry({ name, label, hint, class: extra = '', children }: Props) {
  const id = useId()
  const { [name]: problem } = problems.value
  const notes = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])]
  return (
    <div class={`entry ${extra}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': problem !== undefined,
        'aria-describedby': notes.length > 0 ? notes.join(' ') : undefined,
      })}
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
