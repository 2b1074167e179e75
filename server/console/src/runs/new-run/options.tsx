import { toVisible } from '@svc/core/client'
import { oneLine, toText } from '../../parts/format.ts'
import type { Draft, Others } from './draft.ts'
import { FilesEntry } from './files-entry.tsx'
import { draft, enter, problems } from './new-run-state.ts'
import { OPTION_FIELDS, OptionFields } from './option-fields.tsx'

/** Everything about a new run but its task. */
export function Options() {
  return (
    <div class="options">
      <OptionFields
        fields={OPTION_FIELDS}
        values={draft.value}
        problems={problems.value}
        onEnter={(changes) => enter(changes as Partial<Draft>)}
      />
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
