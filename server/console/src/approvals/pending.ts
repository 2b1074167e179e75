import { signal } from '@preact/signals'

/** Calls that wait for a person's word. */
export const pendingApprovals = signal(0)
