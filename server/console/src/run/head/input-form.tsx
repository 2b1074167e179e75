import { toShownText } from '@svc/core/client'
import type { JsonSchema } from '@svc/sdk/remote'
import { useId, useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Field } from '../../parts/field.tsx'
import { Deciding } from '../../session/deciding.tsx'
import { runtime } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { choiceLabel, type FormField, fieldsOf, toAnswer } from '../../state/form.ts'
import type { Wait } from '../../state/wait.ts'

/** Asks a person what a run waits for: a form after the schema of the answer, plain text where there is none. */
export function InputForm({ id, input }: { id: string; input: NonNullable<Wait['input']> }) {
  const fields = fieldsOf(input.schema as JsonSchema | undefined)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const { act, isBusy, error } = useAction(async (entered: FormData) => {
    const texts = fields.map(({ name }) => [name, String(entered.get(`field-${name}`) ?? '')] as const)
    const answer = toAnswer(fields, new Map(texts))
    setProblems('errors' in answer ? answer.errors : new Map())
    if ('value' in answer) await runtime.value.runs.resume(id, { input: answer.value })
  })
  return (
    <form
      class="stack input-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void act(new FormData(event.currentTarget))
      }}
    >
      <p class="soft small">The run asks this; the words may be those of an agent.</p>
      <p class="prompt">{toShownText(input.prompt)}</p>
      <Deciding scope="admin">
        {fields.map((field) => (
          <Entry key={field.name} field={field} problem={problems.get(field.name)} />
        ))}
        <ErrorNote error={error} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Answer
          </button>
        </div>
      </Deciding>
    </form>
  )
}

function Entry({ field, problem }: { field: FormField; problem: string | undefined }) {
  const { kind, label, isRequired, choices } = field
  const problemId = useId()
  const name = `field-${field.name}`
  if (kind === 'fixed') return null
  if (kind === 'boolean')
    return (
      <label class="inline">
        <input name={name} type="checkbox" value="true" />
        {label}
      </label>
    )
  if (kind === 'choice')
    return (
      <fieldset class="row">
        <legend>{label}</legend>
        {choices.map((choice, index) => (
          <label key={choiceLabel(choice)} class="inline">
            <input
              name={name}
              type="radio"
              value={String(index)}
              aria-invalid={problem !== undefined}
              aria-describedby={problem && problemId}
            />
            {choiceLabel(choice)}
          </label>
        ))}
        {problem !== undefined && (
          <span id={problemId} class="error-text" role="alert">
            {problem}
          </span>
        )}
      </fieldset>
    )
  return (
    <Field label={`${label}${isRequired ? '' : ' (may stay empty)'}`} problem={problem}>
      {(props) =>
        kind === 'number' ? (
          <input {...props} name={name} inputMode="decimal" autocomplete="off" />
        ) : (
          <textarea {...props} name={name} rows={kind === 'json' ? 3 : 2} class={kind === 'json' ? 'mono' : ''} />
        )
      }
    </Field>
  )
}
