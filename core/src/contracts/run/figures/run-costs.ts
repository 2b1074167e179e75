import type { Static } from 'typebox'
import * as Type from 'typebox'
import { CostUsd, Count, IsoTime, Text } from '../../schema.ts'

/** How what runs took is added up. */
export const CostPeriod = Type.Enum(['day', 'week', 'month'], {
  description: 'of the calendar; weeks begin on Monday',
})
export type CostPeriod = Static<typeof CostPeriod>

/** What figures of costs are grouped by. */
export const CostGroup = Type.Enum(['model', 'folder'], { description: 'what figures are grouped by' })
export type CostGroup = Static<typeof CostGroup>

/** Which costs are asked for. A run counts in the period in which it was asked for. */
export const CostQuery = Type.Object(
  {
    from: Type.Optional(IsoTime('of runs that were asked for from then on; default the first')),
    to: Type.Optional(IsoTime('of runs that were asked for before then; default now')),
    per: Type.Optional(CostPeriod),
    by: Type.Optional(CostGroup),
    utcOffsetMinutes: Type.Optional(
      Type.Integer({
        minimum: -1_080,
        maximum: 1_080,
        description: 'whose calendar counts: minutes ahead of UTC; default 0',
      }),
    ),
    space: Type.Optional(Text('only of this folder; of another one than the own only with `all`')),
  },
  { additionalProperties: false },
)
export type CostQuery = Static<typeof CostQuery>

/** What runs took in one period, of one model or in one folder. */
export const CostFigure = Type.Object({
  start: Text('first day of the period, such as `2026-11-23`'),
  name: Text('`provider/model`, or the folder; empty for runs of no folder'),
  runs: Count('number of runs'),
  tokens: Count('input and output together'),
  costUsd: CostUsd,
  unpriced: Count('number of runs of unknown cost, which `costUsd` does not include'),
})
export type CostFigure = Static<typeof CostFigure>

/** What runs took, by period, and by model or folder. */
export const RunCosts = Type.Object({
  per: CostPeriod,
  by: CostGroup,
  utcOffsetMinutes: Type.Integer({ description: 'whose calendar counts: minutes ahead of UTC' }),
  data: Type.Array(CostFigure, {
    description: 'in the order of time, then of names; what nothing was taken in is left out',
  }),
})
export type RunCosts = Static<typeof RunCosts>
