import type { StepRow } from '../../contracts/journal.ts'
import type { RunRow, Store } from '../../contracts/store.ts'

/** The steps that a resumed or forked run takes over, as its own. */
export async function inheritedSteps(
  store: Store,
  { runId, untilSeq = Number.POSITIVE_INFINITY, toolResults = {} }: NonNullable<RunRow['inherits']>,
): Promise<StepRow[]> {
  const rows = await store.steps(runId)
  // What was begun and not recorded as done goes along too: it must not be done again unasked.
  return rows
    .filter(({ seq, effect }) => seq <= untilSeq && (effect !== 'wait' || untilSeq === Number.POSITIVE_INFINITY))
    .map((row) => ({ ...row, seq: 0, ...edited(row.outcome, toolResults) }))
}

/** Which tool call an outcome is of, if it is of one. */
export function toolCallOf(outcome: unknown): string | undefined {
  const isToolAnswer = typeof outcome === 'object' && outcome !== null && 'ok' in outcome && 'callId' in outcome
  return isToolAnswer ? String(outcome.callId) : undefined
}

function edited(outcome: unknown, toolResults: Record<string, unknown>): { outcome?: unknown } {
  const callId = toolCallOf(outcome)
  if (callId === undefined || !Object.hasOwn(toolResults, callId)) return {}
  return { outcome: { ...(outcome as object), ok: true, content: [{ type: 'json', json: toolResults[callId] }] } }
}
