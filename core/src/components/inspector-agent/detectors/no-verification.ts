import type { Detector } from '../detector.ts'

const DEMANDS =
  /\b(?:tests? (?:all )?(?:pass|run|are|succeed)|run(?:s|ning)? (?:the |all )?tests?|verif(?:y|ied|ication)|lint(?:s|ed)?\b|compil(?:e|es|ed)\b|builds?\b|type-?check)/i
const VERIFIES =
  /(?:^|[_-])(?:test|tests|check|verify|lint|build|run|exec|shell|bash|command|read|search|diff|validate)(?:$|[_-])/i
const WRITES: ReadonlySet<string> = new Set(['write', 'destructive'])

/** A step that must be verified changed something last, and no check followed. */
export const noVerification: Detector = {
  code: 'no-verification',
  mast: '3.2',
  on: ['step.started', 'step.retrying', 'step.completed', 'tool.completed'],
  watch(facts) {
    const unverified = new Map<string, number>()
    return (event) => {
      const { type, stepId } = event
      if (stepId === undefined) return undefined
      if (type === 'step.started' || type === 'step.retrying') unverified.delete(stepId)
      if (type === 'tool.completed' && facts.call !== undefined) {
        const { risk, tool } = facts.call
        if (WRITES.has(risk)) unverified.set(stepId, event.seq ?? 0)
        else if (unverified.has(stepId) && (risk === 'execute' || VERIFIES.test(tool))) unverified.delete(stepId)
      }
      if (type !== 'step.completed') return undefined
      const write = unverified.get(stepId)
      const step = facts.steps.get(stepId)
      if (write === undefined || step === undefined) return undefined
      if (!step.acceptance.some((sentence) => DEMANDS.test(sentence))) return undefined
      return {
        subject: stepId,
        severity: 'warn',
        message: `${stepId} was called done although nothing was verified after its last change`,
        fix: 'Run the check that its acceptance asks for.',
        action: 'escalate',
        agentId: event.agentId,
        stepId,
        evidence: [write],
      }
    }
  },
}
