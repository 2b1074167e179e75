import { type Option, Options } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { ModelInput } from '../../parts/model-input.tsx'
import { type Draft, type Problems, RISKS, TOPOLOGY_CHOICES } from './draft.ts'

type Name = Exclude<keyof Draft, 'task' | 'files' | 'others' | 'earlierRunId'>

/** What is entered beside a task: one of a few values, or a text. */
interface OptionField {
  name: Name
  label: string
  hint: string
  choices?: readonly Option[]
  inputMode?: 'numeric' | 'decimal'
  placeholder?: string
}

export const OPTION_FIELDS: readonly OptionField[] = [
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

interface OptionFieldsProps {
  fields: readonly OptionField[]
  values: Readonly<Partial<Record<Name, string>>>
  problems: Problems
  onEnter: (changes: Partial<Record<Name, string>>) => void
}

/** Fields for options of a run. */
export function OptionFields({ fields, values, problems, onEnter }: OptionFieldsProps) {
  return (
    <>
      {fields.map(({ name, label, hint, choices, ...looks }) => {
        const entered = {
          value: values[name] ?? '',
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
            onEnter({ [name]: currentTarget.value }),
        }
        return (
          <Field key={name} label={label} hint={hint} problem={problems[name]}>
            {(props) =>
              choices !== undefined ? (
                <select {...props} {...entered}>
                  <Options of={choices} />
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
    </>
  )
}
