import type { JsonSchema, SvcError } from '@svc/sdk/remote'
import { useId, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { runtime } from '../../session/session.ts'
import { toError } from '../../session/use-load.ts'
import { choiceLabel, type FormField, fieldsOf, toAnswer } from '../../state/form.ts'
import type { Wait } from '../../state/wait.ts'

/** Asks a person what a run waits for: a form after the schema of the answer, plain text where there is none. */
export function InputForm({ id, input }: { id: string; input: NonNullable<Wait['input']> }) {
  const fields = fieldsOf(input.schema as JsonSchema | undefined)
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const [error, setError] = useState<SvcError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const entered = new FormData(event.currentTarget as HTMLFormElement)
    const answer = toAnswer(
      fields,
      new Map(fields.map(({ name }) => [name, String(entered.get(`field-${name}`) ?? '')])),
    )
    setErrors('errors' in answer ? answer.errors : new Map())
    if ('errors' in answer) return
    setBusy(true)
    setError(undefined)
    try {
      await runtime.value.runs.resume(id, { input: answer.value })
    } catch (thrown) {
      setError(toError(thrown))
      setBusy(false)
    }
  }
  return (
    <form class="stack input-form" onSubmit={submit} noValidate>
      <p class="prompt">{input.prompt}</p>
      {fields.map((field) => (
        <Field key={field.name} field={field} error={errors.get(field.name)} />
      ))}
      <ErrorNote error={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Answer
        </button>
      </div>
    </form>
  )
}

function Field({ field, error }: { field: FormField; error: string | undefined }) {
  const errorId = useId()
  if (field.kind === 'fixed') return null
  const props = {
    name: `field-${field.name}`,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : errorId,
  }
  const note = error !== undefined && (
    <span id={errorId} class="error-text" role="alert">
      {error}
    </span>
  )
  if (field.kind === 'choice')
    return (
      <fieldset class="choices">
        <legend>{field.label}</legend>
        {field.choices.map((choice, index) => (
          <label key={choiceLabel(choice)} class="inline">
            <input {...props} type="radio" value={String(index)} />
            {choiceLabel(choice)}
          </label>
        ))}
        {note}
      </fieldset>
    )
  if (field.kind === 'boolean')
    return (
      <label class="inline">
        <input {...props} type="checkbox" value="true" />
        {field.label}
      </label>
    )
  const id = `${errorId}-entry`
  return (
    <div class="entry">
      <label for={id}>
        {field.label}
        {field.isRequired ? '' : ' (may stay empty)'}
      </label>
      {field.kind === 'number' ? (
        <input {...props} id={id} inputMode="decimal" autocomplete="off" />
      ) : (
        <textarea {...props} id={id} rows={field.kind === 'json' ? 3 : 2} class={field.kind === 'json' ? 'mono' : ''} />
      )}
      {note}
    </div>
  )
}
