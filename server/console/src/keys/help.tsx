import { useComputed } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { commands, GROUPS } from './commands.ts'
import { hasLetterKeys, keysOf } from './keys.ts'
import { isHelpOpen } from './overlays.ts'
import './help.css'

/** Every shortcut of the page that is shown. */
export default function Help() {
  const listed = useComputed(() => commands.value.filter(({ keys }) => keys !== undefined))
  return (
    <Dialog
      class="key-help"
      label="Keyboard shortcuts"
      isOpen={isHelpOpen.value}
      onClose={() => (isHelpOpen.value = false)}
    >
      <div class="stack">
        <h2>Keyboard shortcuts</h2>
        <div class="groups">
          {GROUPS.map((group) => {
            const own = listed.value.filter((command) => command.group === group)
            return own.length === 0 ? null : (
              <section key={group} aria-label={group}>
                <h3>{group}</h3>
                <dl>
                  {own.map(({ name, keys = '' }) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd>
                        <Keys of={keys} />
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            )
          })}
        </div>
        <label class="inline">
          <input
            type="checkbox"
            checked={hasLetterKeys.value}
            onChange={({ currentTarget }) => (hasLetterKeys.value = currentTarget.checked)}
          />
          Shortcuts of letters alone work
        </label>
        <div class="row">
          <button type="button" onClick={() => (isHelpOpen.value = false)}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Keys as they are written on a keyboard. */
export function Keys({ of }: { of: string }) {
  const names = keysOf(of)
  return (
    <span class="keys" aria-label={names.join(of.includes(' ') ? ' then ' : ' and ')} role="img">
      {names.map((name, at) => (
        <kbd key={at}>{name}</kbd>
      ))}
    </span>
  )
}
