import type { PlanStep } from '../../../contracts/index.ts'
import { isStopWord, toStem, toStems, toWords } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'

const MAX_RESULTS = 20
const DISTINCTIVE = 10
const LEAST_WORDS = 20
/** The role of a step that tells others what to do: nobody repeats its words. */
const BRIEFING_ROLE = 'lead'

/** A step was handed less than its producer knew: an input it names is in the producer's tool results, not in its output. */
export const withheldInput: Detector = {
  code: 'withheld-input',
  mast: '2.4',
  on: ['tool.completed', 'step.started'],
  watch(facts) {
    const results = new Map<string, string[]>()
    return (event) => {
      const { type, stepId } = event
      if (stepId === undefined) return undefined
      if (type === 'tool.completed') {
        const texts = results.get(stepId) ?? []
        if (texts.length < MAX_RESULTS && facts.action !== undefined) texts.push(facts.action.text.toLowerCase())
        results.set(stepId, texts)
        return undefined
      }
      const step = facts.steps.get(stepId)
      if (step === undefined || step.inputs.length === 0 || step.dependsOn.length === 0) return undefined
      const handed = step.dependsOn.map((id) => (facts.stepOutput.get(id) ?? '').toLowerCase())
      const seen = step.dependsOn.flatMap((id) => results.get(id) ?? [])
      const withheld = step.inputs.filter((input) => {
        const name = input.toLowerCase()
        return !handed.some((text) => text.includes(name)) && seen.some((text) => text.includes(name))
      })
      if (withheld.length === 0) return undefined
      return {
        subject: stepId,
        severity: 'info',
        message: `${stepId} needs ${withheld.join(', ')}, which ${step.dependsOn.join(', ')} saw and did not hand on`,
        fix: `Hand ${withheld.join(', ')} on.`,
        action: 'none',
        agentId: event.agentId,
        stepId,
      }
    }
  },
}

/** A step whose output holds none of the distinctive words of what it was handed. */
export const ignoredInput: Detector = {
  code: 'ignored-input',
  mast: '2.5',
  on: ['step.completed'],
  watch(facts) {
    return (event) => {
      const { stepId = '' } = event
      const step = facts.steps.get(stepId)
      const words = toWords(facts.stepOutput.get(stepId) ?? '')
      if (step === undefined || step.dependsOn.length === 0 || words.length < LEAST_WORDS) return undefined
      const own = new Set(words.filter((word) => !isStopWord(word)).map(toStem))
      const asked = new Set(toStems(step.objective))
      const ignored = step.dependsOn.filter((id) => {
        if (isBrief(facts.steps.get(id))) return false
        const top = distinctive(id, facts.stepOutput, asked)
        return top.length >= DISTINCTIVE && !top.some((stem) => own.has(stem))
      })
      if (ignored.length === 0) return undefined
      return {
        subject: stepId,
        severity: 'info',
        message: `the output of ${stepId} holds nothing of what ${ignored.join(', ')} handed it`,
        fix: 'Use what was handed over, or say why it does not matter.',
        action: 'none',
        agentId: event.agentId,
        stepId,
      }
    }
  },
}

/** Instructions for those who follow, not a result that they build on. */
const isBrief = (step: PlanStep | undefined): boolean => step?.role === BRIEFING_ROLE && step.dependsOn.length === 0

/** The stems of an output that are frequent in it and rare in the others (inverse document frequency; Spärck Jones, 1972). */
function distinctive(id: string, outputs: ReadonlyMap<string, string>, asked: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const stem of toStems(outputs.get(id) ?? '')) if (!asked.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const others = [...outputs]
    .filter(([other]) => other !== id)
    .slice(0, 20)
    .map(([, text]) => new Set(toStems(text)))
  return [...counts]
    .map(([stem, count]) => ({
      stem,
      weight: count * Math.log(1 + (others.length + 1) / (1 + others.filter((set) => set.has(stem)).length)),
    }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, DISTINCTIVE)
    .map(({ stem }) => stem)
}
