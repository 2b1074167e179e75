import { signal } from '@preact/signals'
import { toVisible } from '@svc/core/client'
import { useLayoutEffect } from 'preact/hooks'
import { oneLine } from './format.ts'

/** Longer titles are cut. */
const MOST_SHOWN = 120

/** What is shown, in a few words: the name of a view, or the task of a run. */
export const viewTitle = signal('')

/** Names what is shown, in the title of the page and for people who cannot see it. */
export function useViewTitle(name: string): void {
  useLayoutEffect(() => {
    viewTitle.value = toVisible(oneLine(name, MOST_SHOWN))
  }, [name])
}
