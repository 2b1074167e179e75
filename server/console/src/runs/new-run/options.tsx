import { toVisible } from '@svc/core/client'
import { Options as Choices, type Option } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { oneLine, toText } from '../../parts/format.ts'
import { ModelInput } from '../../parts/model-input.tsx'
import { type Draft, type Others, RISKS, TOPOLOGY_CHOICES } from './draft.ts'
import { FilesEntry } from './files-entry.tsx'
import { draft, enter, problems } from './new-run-state.ts'

type Name = Exclude<keyof Draft, 'task' | 'files' | 'others' | 'earlierRunId'>

/** What is entered beside the task: one of a few values, or a text. */
const FIELDS: readonly {
  name: Name
  label: string
  hint: string
  choices?: readonly Option[]
  inputMode?: 'numeric' | 'decimal'
  placeholder?: string
}[] = [
  {
    name: 'mode',
    label: 'Mode',
    hint: 'How far the run goes',
    choices: [
      ['execute', 'execute: do it'],
      ['read', 'read: look at everything, change nothing, say how'],
      ['plan', 'plan: only the steps'],
      ['analyze', 'analyze: only say how hard it is'],
    ],
  },
  { name: 'topology', label: 'Topology', hint: 'AUTO: one agent or a team, by the task', choices: TOPOLOGY_CHOICES },
  { name: 'model', label: 'Model', hint: 'provider/model' },
  {
    name: 'tokenBudget',
    label: 'Token budget',
    hint: 'Soft: beyond it no new step begins',
    inputMode: 'numeric',
    placeholder: '64000',
  },
  {
    name: 'maxTokens',
    label: 'Most tokens',
    hint: 'Hard: beyond it no new call',
    inputMode: 'numeric',
    placeholder: 'twice the budget',
  },
  {
    name: 'maxCostUsd',
    label: 'Most it may cost, $',
    hint: 'Hard: needs a model with a price',
    inputMode: 'decimal',
    placeholder: 'no limit',
  },
  { name: 'agents', label: 'Agents', hint: 'Ids of profiles, with commas between them', placeholder: 'by the task' },
  { name: 'riskLevel', label: 'Risk', hint: 'What is at stake', choices: [['', 'by the task'], ...RISKS] },
  {
    name: 'consensus',
    label: 'Vote',
    hint: 'Several answers, the best founded wins',
    choices: [
      ['', 'by the risk'],
      ['yes', 'always'],
      ['no', 'never'],
    ],
  },
  { name: 'allowedTools', label: 'Only these tools', hint: 'With commas between them', placeholder: 'all' },
  { name: 'deniedTools', label: 'Not these tools', hint: 'With commas between them', placeholder: 'none' },
  { name: 'threadId', label: 'Chat', hint: 'Id of one to go on with', placeholder: 'none' },
  { name: 'tags', label: 'Tags', hint: 'With commas between them', placeholder: 'docs, nightly' },
]

/** Everything about a new run but its task. */
export function Options() {
  return (
    <div class="options">
      {FIELDS.map(({ name, label, hint, choices, ...looks }) => {
        const entered = {
          value: draft.value[name],
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
            enter({ [name]: currentTarget.value } as Partial<Draft>),
        }
        return (
          <Field key={name} label={label} hint={hint} problem={problems.value[name]}>
            {(props) =>
              choices !== undefined ? (
                <select {...props} {...entered}>
                  <Choices of={choices} />
                </select>
              ) : name === 'model' ? (
                <ModelInput {...props} {...entered} />
              ) : (
                <input {...props} {...entered} {...looks} autocomplete="off" />
              )
            }
          </Field>
        )
      })}
      <FilesEntry />
      <OtherOptions />
    </div>
  )
}

/** Options of the earlier run that have no field: shown, and taken away one by one. */
function OtherOptions() {
  const { others } = draft.value
  const names = Object.keys(others) as (keyof Others)[]
  if (names.length === 0) return null
  return (
    <div class="field wide">
      <span class="small soft">Also taken over from the earlier run</span>
      <ul class="row chips">
        {names.map((name) => (
          <li key={name} class="chip">
            <span class="clip small" title={toText(others[name])}>
              <b>{name}</b> {toVisible(oneLine(toText(others[name]), 80))}
            </span>
            <button
              type="button"
              class="plain"
              aria-label={`Leave out ${name}`}
              onClick={() => {
                const { [name]: _, ...left } = others
                enter({ others: left })
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
