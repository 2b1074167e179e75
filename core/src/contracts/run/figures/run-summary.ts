import type { Static } from 'typebox'
import * as Type from 'typebox'
import { CostUsd, Count, ForEach, Milliseconds, Tokens } from '../../schema.ts'
import { RunStatus } from '../../words.ts'

/** What is true of many runs together. */
export const RunSummary = Type.Object({
  total: Count('number of runs'),
  byStatus: ForEach(RunStatus, Count('number of runs in this status')),
  durationMs: Type.Optional(
    Type.Object(
      { p50: Milliseconds('half took at most this'), p95: Milliseconds('95 of 100 took at most this') },
      { description: 'from beginning to end, of the newest 1000 that have ended; nearest rank' },
    ),
  ),
  tokens: Tokens('input and output together'),
  costUsd: CostUsd,
  unpriced: Count('number of runs of unknown cost, which `costUsd` does not include'),
})
export type RunSummary = Static<typeof RunSummary>
