import type { Detector } from '../detector.ts'

/** Tool errors of one agent in a row: on recorded runs nearly three times as frequent where the answer was wrong. */
export const errorsInARow: Detector = {
  code: 'errors-in-a-row',
  on: ['tool.completed', 'tool.failed'],
  watch(facts, thresholds) {
    const rows = new Map<string, string[]>()
    return (event) => {
      if (facts.action === undefined || !facts.isWork(event)) return undefined
      const key = facts.placeOf(event)
      if (facts.action.outcome === 'completed') {
        rows.delete(key)
        return undefined
      }
      const row = [...(rows.get(key) ?? []).slice(-7), facts.refOf(event)]
      rows.set(key, row)
      if (row.length < thresholds.errorsInARow) return undefined
      return {
        subject: `${event.agentId}/${event.stepId ?? ''}`,
        severity: 'warn',
        message: `${row.length} tool calls of ${event.agentId} in a row failed, the last one of ${facts.action.tool}: ${facts.action.text.slice(0, 160)}`,
        fix: 'Read the error, change the arguments or the tool, or say what cannot be done.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        tool: facts.action.tool,
        evidence: row,
      }
    }
  },
}
