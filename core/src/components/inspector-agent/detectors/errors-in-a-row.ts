import type { Detector } from '../detector.ts'
import { textOf } from '../tool-call.ts'

const KEPT = 8

/** Tool errors of one agent in a row: on recorded runs nearly three times as frequent where the answer was wrong. */
export const errorsInARow: Detector = {
  code: 'errors-in-a-row',
  on: ['tool.completed', 'tool.failed'],
  watch(facts, thresholds) {
    const rows = new Map<string, number[]>()
    return (event) => {
      const { call } = facts
      if (call === undefined || !facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      if (call.status === 'completed') {
        rows.delete(key)
        return undefined
      }
      const row = [...(rows.get(key) ?? []).slice(1 - KEPT), event.seq ?? 0]
      rows.set(key, row)
      if (row.length < thresholds.errorsInARow) return undefined
      const { agentId, stepId } = event
      return {
        subject: `${agentId}/${stepId ?? ''}`,
        severity: 'warn',
        message: `${row.length} tool calls of ${agentId} in a row failed, the last one of ${call.tool}: ${textOf(call).slice(0, 160)}`,
        fix: 'Read the error, change the arguments or the tool, or say what cannot be done.',
        action: 'nudge',
        agentId,
        stepId,
        tool: call.tool,
        evidence: row,
      }
    }
  },
}
