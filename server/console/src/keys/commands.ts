import { computed, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export const GROUPS = ['This run', 'Begin', 'Go to', 'Console'] as const

/** Something that a person can do by a shortcut, by the palette, or by both. */
export interface Command {
  /** What it does, as the palette and the help show it. */
  name: string
  group: (typeof GROUPS)[number]
  /** `n`; `g r` one after the other; `mod+k` with Ctrl, or Cmd on a Mac. */
  keys?: string
  /** Other words by which it is found. */
  words?: string
  run: () => void
}

const registered = signal<readonly (readonly Command[])[]>([])

/** All that can be done on the page that is shown, group by group. What was registered last comes first in its group. */
export const commands = computed<readonly Command[]>(() => {
  const all = registered.value.flat()
  return GROUPS.flatMap((group) => all.filter((command) => command.group === group))
})

/** Offers commands as long as the component is there. */
export function useCommands(list: readonly Command[]): void {
  const newest = useRef(list)
  newest.current = list
  const shape = JSON.stringify(list.map(({ name, keys, words }) => [name, keys, words]))
  useEffect(() => {
    // What they do may change from one drawing to the next; which there are says `shape`.
    const offered = list.map((command, at) => ({ ...command, run: () => newest.current[at]?.run() }))
    registered.value = [offered, ...registered.peek()]
    return () => {
      registered.value = registered.peek().filter((other) => other !== offered)
    }
  }, [shape])
}
