import { Options } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { ModelInput } from '../../parts/model-input.tsx'
import { type Problems, RISKS, TOPOLOGY_CHOICES } from '../../runs/new-run/draft.ts'
import { type ChatOptions, changeOptions, options } from './draft-state.ts'

const FIELDS = [
  { name: 'model', label: 'Model', hint: 'provider/model' },
  {
    name: 'mode',
    label: 'Mode',
    hint: 'How far it goes',
    choices: [
      ['execute', 'execute: do it'],
      ['read', 'read: look, change nothing'],
      ['plan', 'plan: only the steps'],
    ],
  },
  { name: 'topology', label: 'Topology', hint: 'AUTO: one agent or a team, by the task', choices: TOPOLOGY_CHOICES },
  { name: 'riskLevel', label: 'Risk', hint: 'High: more checks', choices: [['', 'by the task'], ...RISKS] },
  { name: 'tokenBudget', label: 'Token budget', hint: 'Soft: beyond it no new step begins', placeholder: '64000' },
  {
    name: 'maxCostUsd',
    label: 'Most it may cost, $',
    hint: 'Hard: needs a model with a price',
    placeholder: 'no limit',
  },
] as const

/** How the next messages are worked on. */
export function OptionsPanel({ problems }: { problems: Problems }) {
  return (
    <div class="chat-options" role="group" aria-label="Options of the next messages">
      {FIELDS.map(({ name, label, hint, ...looks }) => {
        const entered = {
          value: options.value[name],
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
            changeOptions({ [name]: currentTarget.value } as Partial<ChatOptions>),
        }
        return (
          <Field key={name} label={label} hint={hint} problem={problems[name]}>
            {(props) =>
              'choices' in looks ? (
                <select {...props} {...entered}>
                  <Options of={looks.choices} />
                </select>
              ) : name === 'model' ? (
                <ModelInput {...props} {...entered} />
              ) : (
                <input {...props} {...entered} {...looks} inputMode="decimal" autocomplete="off" />
              )
            }
          </Field>
        )
      })}
    </div>
  )
}
