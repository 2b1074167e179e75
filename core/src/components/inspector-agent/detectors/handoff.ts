import type { PlanStep } from '../../../contracts/index.ts'
import { isStopWord, toStem, toStems, toWords } from '../../../text/index.ts'
import type { Detector } from '../detector.ts'
import type { RunFacts } from '../run-facts.ts'
import { textOf } from '../tool-call.ts'

const MOST_RESULTS = 40
const RESULT_CHARS = 8_000
const MOST_OTHERS = 20
const DISTINCTIVE = 10
const LEAST_WORDS = 20
/** The role of a step that instructs others: its words need not come back. */
const BRIEFING_ROLE = 'lead'

/** A step got less than its producer knew: an input it names is in the producer's tool results, not in its output. */
export const withheldInput: Detector = {
  code: 'withheld-input',
  mast: '2.4',
  on: ['step.started'],
  watch(facts) {
    return (event) => {
      const { stepId = '' } = event
      const step = facts.steps.get(stepId)
      if (step === undefined || step.inputs.length === 0 || step.dependsOn.length === 0) return undefined
      const handed = step.dependsOn.map((id) => facts.outputOf(id).toLowerCase())
      const seen = resultsOf(facts, step.dependsOn)
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
      if (step === undefined || step.dependsOn.length === 0) return undefined
      const words = toWords(facts.outputOf(stepId))
      if (words.length < LEAST_WORDS) return undefined
      const own = new Set(words.filter((word) => !isStopWord(word)).map(toStem))
      const asked = new Set(toStems(step.objective))
      const ignored = step.dependsOn.filter((id) => {
        if (isBrief(facts.steps.get(id))) return false
        const top = distinctive(id, facts, asked)
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

/** Beginnings of what the tools of these steps returned, in lower case. */
const resultsOf = ({ view }: RunFacts, steps: readonly string[]): string[] =>
  view.toolCalls
    .filter(({ stepId, status }) => status === 'completed' && stepId !== undefined && steps.includes(stepId))
    .slice(-MOST_RESULTS)
    .map((call) => textOf(call).slice(0, RESULT_CHARS).toLowerCase())

/** The stems of an output that are frequent in it and rare in the others (inverse document frequency; Spärck Jones, 1972). */
function distinctive(id: string, facts: RunFacts, asked: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>()
  for (const stem of toStems(facts.outputOf(id))) if (!asked.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const others = [...facts.view.steps.values()]
    .filter((step) => step.id !== id && step.status === 'completed')
    .slice(0, MOST_OTHERS)
    .map((step) => new Set(toStems(facts.outputOf(step.id))))
  const rarity = (stem: string): number =>
    Math.log(1 + (others.length + 1) / (1 + others.filter((stems) => stems.has(stem)).length))
  return [...counts]
    .map(([stem, count]) => ({ stem, weight: count * rarity(stem) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, DISTINCTIVE)
    .map(({ stem }) => stem)
}
