import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName, Count, Fraction, Text, Texts } from '../schema.ts'
import { Severity } from '../words.ts'

/** One finding about how a run went. */
export const Issue = Type.Object({
  id: Text('unique within the run'),
  code: Text('name of the detector'),
  mast: Type.Optional(Text('failure mode of the MAST taxonomy, such as `1.3`')),
  severity: Severity,
  message: Text('what was seen'),
  agentId: Type.Optional(Type.String()),
  stepId: Type.Optional(Type.String()),
  tool: Type.Optional(Text('id of the tool that it is about')),
  evidence: Texts('events as `<runId>:<seq>`'),
  fix: Type.Optional(Text('what would help')),
  firstAt: Type.Number({ description: 'milliseconds since the epoch' }),
  count: Count('how often it was seen'),
  action: Type.Enum(['none', 'nudge', 'replan', 'circuit', 'halt', 'escalate']),
})
export type Issue = Static<typeof Issue>

/** Is the run healthy? The answer to `inspect`. Health is not correctness. */
export const Inspection = Type.Object({
  grade: Type.Enum(['healthy', 'degraded', 'unhealthy']),
  score: Fraction('healthy from .9, degraded from .7'),
  issues: Type.Array(Issue),
  signals: ByName(Type.Number()),
})
export type Inspection = Static<typeof Inspection>

/**
 * What the plugin that inspects offers to the runtime: `runtime.inspect()` is answered by it.
 *
 * Contract: must not throw for a run that is not known; such a run is healthy and has no issues.
 */
export interface InspectionApi {
  /** How healthy one run is or was; without an id the worst of all runs that are remembered, with the issues of all. */
  report(runId?: string): Inspection | Promise<Inspection>
}
