import { signal } from '@preact/signals'

/** Whether the command palette is over the page. */
export const isPaletteOpen = signal(false)
/** Whether the list of shortcuts is. */
export const isHelpOpen = signal(false)
