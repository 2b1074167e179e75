import type { RuntimeInfo } from '@svc/sdk/remote'
import { useId } from 'preact/hooks'
import { MODES } from '../filters.ts'
import { type Draft, RISKS, TOPOLOGY_CHOICES } from './draft.ts'
import { Entry } from './entry.tsx'
import { FilesEntry } from './files-entry.tsx'
import { draft, enter } from './new-run-state.ts'

const MODE_NAMES: Readonly<Record<string, string>> = {
  execute: 'execute: do it',
  plan: 'plan: only say how',
  analyze: 'analyze: only say how hard it is',
}

/** Everything about a new run but its task. */
export function Options({ info }: { info: RuntimeInfo | undefined }) {
  const models = useId()
  const { value: entered } = draft
  const text = (name: 'tokenBudget' | 'maxCostUsd' | 'model' | 'tags') => ({
    value: entered[name],
    autocomplete: 'off',
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => enter({ [name]: event.currentTarget.value }),
  })
  const choice = (name: 'mode' | 'topology' | 'riskLevel' | 'consensus') => ({
    value: entered[name],
    onChange: (event: Event & { currentTarget: HTMLSelectElement }) =>
      enter({ [name]: event.currentTarget.value } as Partial<Draft>),
  })
  return (
    <div class="options">
      <Entry name="mode" label="Mode" hint="How far the run goes">
        {(props) => (
          <select {...props} {...choice('mode')}>
            {MODES.map((mode) => (
              <option key={mode} value={mode}>
                {MODE_NAMES[mode]}
              </option>
            ))}
          </select>
        )}
      </Entry>
      <Entry name="topology" label="Topology" hint="AUTO: one agent or a team, by the task">
        {(props) => (
          <select {...props} {...choice('topology')}>
            {TOPOLOGY_CHOICES.map((topology) => (
              <option key={topology}>{topology}</option>
            ))}
          </select>
        )}
      </Entry>
      <Entry name="model" label="Model" hint="provider/model">
        {(props) => (
          <>
            <input {...props} {...text('model')} list={models} placeholder={info?.defaultModel ?? 'the default'} />
            <datalist id={models}>
              {modelNames(info).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )}
      </Entry>
      <Entry name="tokenBudget" label="Token budget" hint="Soft: beyond it no new step begins">
        {(props) => <input {...props} {...text('tokenBudget')} inputMode="numeric" placeholder="64000" />}
      </Entry>
      <Entry name="maxCostUsd" label="Most it may cost, $" hint="Hard: needs a model with a price">
        {(props) => <input {...props} {...text('maxCostUsd')} inputMode="decimal" placeholder="no limit" />}
      </Entry>
      <Entry name="riskLevel" label="Risk" hint="What is at stake">
        {(props) => (
          <select {...props} {...choice('riskLevel')}>
            <option value="">by the task</option>
            {RISKS.map((risk) => (
              <option key={risk}>{risk}</option>
            ))}
          </select>
        )}
      </Entry>
      <Entry name="consensus" label="Vote" hint="Several answers, the best founded wins">
        {(props) => (
          <select {...props} {...choice('consensus')}>
            <option value="">by the risk</option>
            <option value="yes">always</option>
            <option value="no">never</option>
          </select>
        )}
      </Entry>
      <Entry name="tags" label="Tags" hint="With commas between them">
        {(props) => <input {...props} {...text('tags')} placeholder="docs, nightly" />}
      </Entry>
      <FilesEntry />
    </div>
  )
}

function modelNames(info: RuntimeInfo | undefined): string[] {
  return info?.providers.flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`)) ?? []
}
