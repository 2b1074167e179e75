import { useSignal } from '@preact/signals'
import { toVisible } from '@svc/core/client'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type Command, commands } from '../keys/commands.ts'
import { Keys } from '../keys/help.tsx'
import { isPaletteOpen } from '../keys/overlays.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useLoad } from '../session/use-load.ts'
import { useRested } from '../session/use-rested.ts'
import { findOnServer } from './found.ts'
import { fitOf } from './fuzzy.ts'
import './palette.css'

const PAUSE_MS = 150

/** What can be chosen: a command, or a place that was found. */
interface Item {
  key: string
  group: string
  name: string
  note?: string
  keys?: string | undefined
  run: () => void
}

/** The command palette: everything that can be done and reached, by a few letters. */
export default function Palette() {
  return (
    <Dialog
      class="palette"
      label="Command palette"
      isOpen={isPaletteOpen.value}
      onClose={() => (isPaletteOpen.value = false)}
    >
      {isPaletteOpen.value && <Choices />}
    </Dialog>
  )
}

function Choices() {
  const { route } = useLocation()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const typed = useSignal('')
  const at = useSignal(0)
  const query = typed.value.trim()
  const rested = useRested(query, PAUSE_MS)
  const found = useLoad(async (from) => (rested === '' ? [] : findOnServer(from, rested)), [rested])
  useLayoutEffect(() => field.current?.focus(), [])
  const choose = (item: Item | undefined): void => {
    if (item === undefined) return
    isPaletteOpen.value = false
    // Once the dialog has given the focus back: what is begun takes it.
    requestAnimationFrame(item.run)
  }
  const places = (query === '' ? [] : (found.value ?? [])).map(
    ({ href, ...place }): Item => ({ ...place, run: () => route(href) }),
  )
  const items = [...commandsFor(query), ...places]
  const chosen = Math.min(at.value, items.length - 1)
  const go = (to: number): void => {
    if (items.length === 0) return
    at.value = (to + items.length) % items.length
    requestAnimationFrame(() => document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' }))
  }
  const isSearching = query !== '' && (found.isLoading || rested !== query)
  // Enter before anything was found is for the first that is.
  const isAwaited = useRef(false)
  useEffect(() => {
    if (isAwaited.current && items.length > 0) choose(items[0])
    if (!isSearching) isAwaited.current = false
  })
  return (
    <>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="What to do, or where to go"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder="A command, page, run, chat or agent…"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value
          at.value = 0
          isAwaited.current = false
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined) go(chosen + step)
          else if (event.key === 'Enter' && !event.isComposing) {
            isAwaited.current = items.length === 0
            choose(items[chosen])
          } else return
          event.preventDefault()
        }}
      />
      <div id={`${id}-list`} class="list" role="listbox" aria-label="Commands and places">
        {items.map((item, index) => (
          <div key={item.key} role="presentation">
            {item.group !== items[index - 1]?.group && (
              <div class="group" aria-hidden="true">
                {item.group}
              </div>
            )}
            <div
              id={`${id}-${index}`}
              class="item"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onPointerMove={() => (at.value = index)}
              onClick={() => choose(item)}
              onKeyDown={() => undefined}
            >
              <span class="clip">{toVisible(item.name)}</span>
              {item.note !== undefined && <span class="note soft tiny clip">{toVisible(item.note)}</span>}
              {item.keys !== undefined && <Keys of={item.keys} />}
            </div>
          </div>
        ))}
      </div>
      <p class="foot soft tiny" role="status">
        {items.length === 0 && !isSearching
          ? 'Nothing fits.'
          : isSearching
            ? 'Searching the server…'
            : `${items.length} found: arrow keys choose, Enter does it`}
      </p>
    </>
  )
}

function commandsFor(query: string): Item[] {
  const all = commands.value
    .filter(({ keys }) => keys !== 'mod+k')
    .map((command): [Command, number] => [command, fitOf(query, `${command.name} ${command.words ?? ''}`)])
  const fitting = all.filter(([, fit]) => fit > 0)
  // Without a query the order of the groups counts; with one, a group stands where its best command does.
  const best = new Map<string, number>()
  for (const [{ group }, fit] of fitting) best.set(group, Math.max(best.get(group) ?? 0, fit))
  if (query !== '')
    fitting.sort(([a, one], [b, other]) =>
      a.group === b.group ? other - one : (best.get(b.group) ?? 0) - (best.get(a.group) ?? 0),
    )
  return fitting.map(([{ group, name, keys, run }]) => ({ key: `${group} ${name}`, group, name, keys, run }))
}
