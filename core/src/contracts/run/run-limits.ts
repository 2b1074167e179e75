import type { Static } from 'typebox'
import * as Type from 'typebox'
import { RunBudget } from './run.ts'

/** What a run may take. */
export const RunLimits = Type.Object({
  tokenBudget: Type.Integer({ minimum: 1, description: 'soft: at so many tokens no new step starts' }),
  maxTokens: Type.Integer({ minimum: 1, description: 'hard: never exceeded' }),
  budget: RunBudget,
})
export type RunLimits = Static<typeof RunLimits>
