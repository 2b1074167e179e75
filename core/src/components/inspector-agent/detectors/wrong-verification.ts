import type { Detector } from '../detector.ts'
import type { RunFacts } from '../run-facts.ts'

const VERIFIES = /\b(?:verif|review|valid|check|test|audit|inspect|critic)/i
const PASSES =
  /\b(?:pass(?:es|ed)?|verified|is correct|are correct|correct\b|confirmed|accurate|approved|no (?:issues|errors|problems)|looks good|lgtm)\b/i
const DOUBTS = /\b(?:not|cannot|could ?n.t|unable|fail(?:s|ed|ure)?|incorrect|wrong|missing|unverified)\b/i

/** A verifier that says "correct" without having used any of its tools, or that a rule contradicts. */
export const wrongVerification: Detector = {
  code: 'wrong-verification',
  mast: '3.3',
  on: ['step.started', 'step.retrying', 'tool.completed', 'step.completed', 'reflection.completed'],
  watch(facts) {
    const looked = new Set<string>()
    const passed = new Map<string, number>()
    return (event) => {
      const { stepId = '' } = event
      if (event.type === 'tool.completed') looked.add(stepId)
      else if (event.type === 'step.started' || event.type === 'step.retrying') {
        looked.delete(stepId)
        passed.delete(stepId)
      } else if (event.type === 'step.completed') {
        if (!isPassingVerifier(facts, stepId)) return undefined
        passed.set(stepId, event.seq ?? 0)
        const tools = facts.steps.get(stepId)?.tools ?? []
        if (tools.length === 0 || looked.has(stepId)) return undefined
        return {
          subject: stepId,
          severity: 'warn',
          message: `${stepId} verified without looking: it called none of its tools`,
          fix: `Look with ${tools.slice(0, 4).join(', ')} before you call it verified.`,
          action: 'escalate',
          agentId: event.agentId,
          stepId,
        }
      } else if (event.type === 'reflection.completed' && passed.size > 0) {
        const failed = event.data.checks.filter(
          ({ by, critical, result }) => by === 'rule' && critical && result === 'fail',
        )
        if (failed.length === 0) return undefined
        // Nothing is done about it: the run says itself which check failed.
        const [step, seq] = [...passed].at(-1) ?? ['', 0]
        return {
          subject: `${step}/contradicted`,
          severity: 'warn',
          message: `${step} called it verified, but the checks found: ${failed
            .map(({ id, evidence }) => evidence ?? id)
            .join('; ')
            .slice(0, 300)}`,
          fix: 'Do not rely on that verification.',
          action: 'none',
          stepId: step,
          evidence: [seq],
        }
      }
      return undefined
    }
  },
}

function isPassingVerifier(facts: RunFacts, stepId: string): boolean {
  const step = facts.steps.get(stepId)
  if (step === undefined || !VERIFIES.test(`${step.role} ${step.objective.slice(0, 60)}`)) return false
  const output = facts.outputOf(stepId).slice(0, 2_000)
  return PASSES.test(output) && !DOUBTS.test(output)
}
