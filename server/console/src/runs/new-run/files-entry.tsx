import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Options } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { useLoad } from '../../session/use-load.ts'
import { useRested } from '../../session/use-rested.ts'
import { draft, enter, problems } from './new-run-state.ts'

const MOST_SUGGESTED = 12
const PAUSE_MS = 150

/** Files of the workspace by name, which the run is handed with its task. */
export function FilesEntry() {
  const typed = useSignal('')
  const list = useId()
  const { files } = draft.value
  const q = useRested(typed.value.trim(), PAUSE_MS)
  const { value: found } = useLoad(
    async ({ files: find }) => (q === '' ? undefined : find?.({ q, limit: MOST_SUGGESTED })),
    [q],
  )
  const suggested = found?.data.filter((name) => !files.includes(name)) ?? []
  const add = (name: string): void => {
    const trimmed = name.trim()
    if (trimmed === '') return
    if (!files.includes(trimmed)) enter({ files: [...files, trimmed] })
    typed.value = ''
  }
  return (
    <Field
      label="Files of the workspace"
      hint="Enter adds a name; patterns like docs/*.md too"
      problem={problems.value.files}
      class="wide"
    >
      {(props) => (
        <div class="row chips">
          {files.map((name) => (
            <span key={name} class="chip">
              <span class="mono clip">{name}</span>
              <button
                type="button"
                class="plain"
                aria-label={`Take away ${name}`}
                onClick={() => enter({ files: files.filter((other) => other !== name) })}
              >
                ✕
              </button>
            </span>
          ))}
          <input
            {...props}
            value={typed.value}
            list={list}
            autocomplete="off"
            placeholder={files.length === 0 ? 'part of a name' : 'another'}
            onInput={(event) => {
              const { value } = event.currentTarget
              typed.value = value
              // A name that was chosen from the list comes at once.
              if ((event as InputEvent).inputType === 'insertReplacementText' && suggested.includes(value)) add(value)
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
                event.preventDefault()
                add(typed.value)
              } else if (event.key === 'Backspace' && typed.value === '' && files.length > 0)
                enter({ files: files.slice(0, -1) })
            }}
            onBlur={() => add(typed.value)}
          />
          <datalist id={list}>
            <Options of={suggested} />
          </datalist>
        </div>
      )}
    </Field>
  )
}
