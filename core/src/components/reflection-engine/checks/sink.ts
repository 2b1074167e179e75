import type { RunEvent } from '../../../contracts/event.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'

const isUnfinished = ({ type }: RunEvent): boolean => type === 'step.failed' || type === 'step.skipped'

/**
 * The steps that give the answer were finished. That they were says little, so it counts as not applicable; what
 * their acceptance asks for in countable terms is looked at by `constraints`.
 */
export const sink: Check = {
  id: 'sink',
  critical: false,
  strict: true,
  trust: 0.9,
  look({ plan, events }) {
    if (plan === undefined || !events.some(isUnfinished)) return NOT_APPLICABLE
    const needed = new Set(plan.steps.flatMap((step) => step.dependsOn))
    const ends = new Map<string, { type: string; why: string }>()
    for (const event of events) {
      const { type } = event
      if (type !== 'step.completed' && type !== 'step.failed' && type !== 'step.skipped') continue
      const { stepId } = event
      if (stepId === undefined) continue
      if (type === 'step.completed') ends.set(stepId, { type, why: '' })
      else if (type === 'step.failed') ends.set(stepId, { type, why: event.data.error.message })
      else if (type === 'step.skipped') ends.set(stepId, { type, why: event.data.why })
    }
    for (const step of plan.steps) {
      const end = ends.get(step.id)
      if (needed.has(step.id) || end === undefined || end.type === 'step.completed') continue
      const what = `${step.id} ("${excerpt(step.objective, 80)}") ${end.type === 'step.failed' ? 'failed' : 'was skipped'}`
      return fail(
        end.why === '' ? what : `${what}: ${excerpt(end.why)}`,
        `Finish ${step.id}, or answer without it and say so.`,
      )
    }
    return NOT_APPLICABLE
  },
}
