import type { Problems } from '../../runs/new-run/draft.ts'
import { OPTION_FIELDS, OptionFields } from '../../runs/new-run/option-fields.tsx'
import { changeOptions, DEFAULTS, options } from './draft-state.ts'

/** Those of a chat; one that only says how hard a task is answers nothing. */
const FIELDS = OPTION_FIELDS.filter(({ name }) => Object.hasOwn(DEFAULTS, name)).map((field) =>
  field.name === 'mode' ? { ...field, choices: field.choices?.filter(([value]) => value !== 'analyze') ?? [] } : field,
)

/** How the next messages are worked on. */
export function OptionsPanel({ problems }: { problems: Problems }) {
  return (
    <div class="chat-options" role="group" aria-label="Options of the next messages">
      <OptionFields fields={FIELDS} values={options.value} problems={problems} onEnter={changeOptions} />
    </div>
  )
}
