import type { RunStatus } from '../words.ts'

/** Whether a status is final. */
export const isTerminal = (status: RunStatus): boolean =>
  status === 'completed' || status === 'incomplete' || status === 'failed' || status === 'cancelled'
