import { effect, signal } from '@preact/signals'
import { commands } from './commands.ts'

const STORED = 'svc.keys'
/** Between the two keys of a shortcut like `g r`. */
const SEQUENCE_MS = 1_500

/** Whether shortcuts of letters alone work: people who speak to their machine, or hit keys by accident, switch them off. */
export const hasLetterKeys = signal(localStorage.getItem(STORED) !== 'off')
effect(() => {
  if (hasLetterKeys.value) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, 'off')
})

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The keys as they are written on a keyboard: `Ctrl`, `K`. */
export const keysOf = (keys: string): string[] =>
  keys.split(/[ +]/).map((key) => (key === 'mod' ? (isMac ? '⌘' : 'Ctrl') : key.length === 1 ? key.toUpperCase() : key))

/** Whether keys belong to what is focused: one writes, or chooses. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, dialog, [contenteditable], [role="listbox"], [role="menu"]') !== null

/** Listens to shortcuts of all commands. @returns how to stop */
export function followKeys(): () => void {
  let first: { key: string; at: number } | undefined
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat) return
    const hasModifier = event.ctrlKey || event.metaKey
    const key = event.key.toLowerCase()
    if (hasModifier) {
      const found = (isMac ? event.metaKey : event.ctrlKey) && !event.shiftKey ? find(`mod+${key}`) : undefined
      // In a dialog one answers that first.
      if (found === undefined || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      found.run()
      return
    }
    if (!hasLetterKeys.peek() || isTaken(event.target) || document.querySelector('dialog[open]') !== null) return
    const before = first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? first.key : undefined
    first = undefined
    const found = (before !== undefined && find(`${before} ${key}`)) || find(key)
    if (found) {
      event.preventDefault()
      found.run()
    } else if (commands.peek().some(({ keys }) => keys?.startsWith(`${key} `))) first = { key, at: event.timeStamp }
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

const find = (keys: string) => commands.peek().find((command) => command.keys === keys)
