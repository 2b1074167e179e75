import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from '../schema.ts'
import { ExecutionResult, Verdict } from './result.ts'

/** How a run ended, and what its answer is worth. */
export const RunOutcome = Type.Object({
  status: ExecutionResult.properties.status,
  verdict: Verdict,
  reason: Type.Optional(Text('why it is incomplete, or the code of the error that it failed with')),
})
export type RunOutcome = Static<typeof RunOutcome>
