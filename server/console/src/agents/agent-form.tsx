import { useSignal } from '@preact/signals'
import { type AgentProfile, type SvcError, toAgentId } from '@svc/core/client'
import { useRef } from 'preact/hooks'
import { Field } from '../parts/field.tsx'
import { ModelInput } from '../parts/model-input.tsx'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import {
  type AgentDraft,
  type AgentField,
  type AgentProblems,
  EMPTY_AGENT,
  toAgentDraft,
  toAgentInput,
  toAgentProblems,
} from './agent-input.ts'
import { Conflict } from './conflict.tsx'

interface FormProps {
  /** The profile that is changed; undefined: a new one. */
  before?: AgentProfile | undefined
  onSaved: (saved: AgentProfile) => void
  onCancel: () => void
}

/** The id that a name makes; undefined where it makes none. */
function idOf(name: string): string | undefined {
  try {
    return toAgentId(name)
  } catch {
    return undefined
  }
}

/** Makes or changes a profile. */
export function AgentForm({ before, onSaved, onCancel }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const base = useSignal(before)
  const draft = useSignal<AgentDraft>(before === undefined ? EMPTY_AGENT : toAgentDraft(before))
  const problems = useSignal<AgentProblems>({})
  const theirs = useSignal<AgentProfile | undefined>(undefined)
  const isBusy = useSignal(false)
  const enter = (changes: Partial<AgentDraft>): void => {
    draft.value = { ...draft.value, ...changes }
  }
  const say = (found: AgentProblems): void => {
    problems.value = found
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const save = async (): Promise<void> => {
    if (isBusy.value) return
    if (draft.value.name.trim() === '') return say({ name: 'is empty: write what it is called' })
    const { agents } = runtime.value
    const input = toAgentInput(draft.value, base.value)
    isBusy.value = true
    problems.value = {}
    try {
      const isTaken =
        base.value === undefined && (await agents.list()).some(({ id }) => id === (input.id ?? idOf(input.name)))
      if (isTaken) return say({ id: 'is the id of another agent already: choose another' })
      const { value: replaces } = base
      onSaved(await agents.put(input, replaces === undefined ? {} : { replaces }))
    } catch (thrown) {
      const error: SvcError = toError(thrown)
      if (error.code === 'version_conflict' && base.value !== undefined)
        theirs.value = await agents.get(base.value.id).catch(() => undefined)
      else say(toAgentProblems(error))
    } finally {
      isBusy.value = false
    }
  }
  const area = (name: 'description' | 'instructions', label: string, hint: string, rows: number) => (
    <Field label={label} hint={hint} problem={problems.value[name]} class="wide">
      {(props) => (
        <textarea
          {...props}
          rows={rows}
          value={draft.value[name]}
          onInput={({ currentTarget }) => enter({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
  const line = (name: AgentField, label: string, hint: string) => (
    <Field label={label} hint={hint} problem={problems.value[name]}>
      {(props) => (
        <input
          {...props}
          autocomplete="off"
          value={draft.value[name]}
          onInput={({ currentTarget }) => enter({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
  return (
    <form
      ref={form}
      class="card stack agent-form"
      aria-label={before === undefined ? 'New agent' : `Change ${before.name}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <h2>{before === undefined ? 'New agent' : `Change ${before.name}`}</h2>
      <div class="fields">
        {line('name', 'Name', 'Shown to people')}
        {before === undefined && line('id', 'Id', `For runs; empty: ${idOf(draft.value.name) ?? 'made from the name'}`)}
        {line('role', 'Role', 'What it is for in a team; empty: worker')}
        <Field label="Model" hint="provider/model; empty: the model of the run" problem={problems.value.model}>
          {(props) => (
            <ModelInput
              {...props}
              value={draft.value.model}
              onInput={({ currentTarget }) => enter({ model: currentTarget.value })}
            />
          )}
        </Field>
        {area('description', 'Description', 'What it does, for people and for other agents', 2)}
        {area('instructions', 'Instructions', 'Go as they are into its system message', 8)}
        {line('tools', 'Tools', 'Ids, with commas between them; *: all that the run allows; empty: none')}
        {line('capabilities', 'Good at', 'Matched against objectives, with commas between them')}
        {line('tags', 'Tags', 'With commas between them')}
      </div>
      {theirs.value !== undefined && base.value !== undefined && (
        <Conflict
          was={base.value}
          theirs={theirs.value}
          mine={draft.value}
          onTheirs={() => {
            if (theirs.value === undefined) return
            base.value = theirs.value
            draft.value = toAgentDraft(theirs.value)
            theirs.value = undefined
          }}
          onMine={() => {
            base.value = theirs.value
            theirs.value = undefined
            void save()
          }}
        />
      )}
      {problems.value.other !== undefined && (
        <p class="error-text" role="alert">
          {problems.value.other}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          {before === undefined ? 'Make the agent' : 'Save'}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
