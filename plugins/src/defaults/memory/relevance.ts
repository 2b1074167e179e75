import type { MemoryHit } from '@svc/core'

/** What a hit must hold of the task's information by itself: this share of it, in two words or in one that is rare (in nats). */
export const MIN_COVERAGE = 0.5
const MIN_STEMS = 2
const RARE = 4.5

/** Whether a hit holds so much of a task by itself that it may go into a prompt unasked. */
export const isRelevant = ({ parts: { coverage = 0, stems = 0, weight = 0 } }: Pick<MemoryHit, 'parts'>): boolean =>
  coverage >= MIN_COVERAGE && (stems >= MIN_STEMS || weight >= RARE)
