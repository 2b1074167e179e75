import type { ErrorInfo } from '../../../contracts/error-info.ts'
import type { Detector, Sighting } from '../detector.ts'

/** An agent that goes on with a step after its end. */
export const unawareOfEnd: Detector = {
  code: 'unaware-of-end',
  mast: '1.5',
  on: ['step.started', 'step.retrying', 'step.completed', 'model.completed', 'stage.started'],
  watch(facts, { turnsAfterEnd }) {
    const turns = new Map<string, number>()
    return (event) => {
      const { type, stepId, agentId } = event
      if (type === 'stage.started') turns.clear()
      if (stepId === undefined) return undefined
      if (type === 'step.completed') turns.set(stepId, 0)
      else if (type !== 'model.completed') turns.delete(stepId)
      const before = turns.get(stepId)
      if (type !== 'model.completed' || before === undefined || !facts.isWork(event)) return undefined
      turns.set(stepId, before + 1)
      if (before + 1 < turnsAfterEnd) return undefined
      return {
        subject: stepId,
        severity: 'warn',
        message: `${agentId} went on for ${before + 1} turns after ${stepId} was done`,
        fix: 'The step is done: stop.',
        action: 'nudge',
        agentId,
        stepId,
      }
    }
  },
}

/** The work ended while steps were unfinished. */
export const prematureEnd: Detector = {
  code: 'premature-end',
  mast: '3.1',
  on: ['stage.completed', 'run.completed', 'run.incomplete', 'run.failed'],
  watch(facts) {
    let wasOpen = false
    return ({ type, stage }) => {
      const { steps } = facts.view
      // A plan of which no step was ever reported was executed by other means.
      if ((type === 'stage.completed' && stage !== 'execute') || steps.size === 0) return undefined
      const open: string[] = []
      for (const id of facts.steps.keys()) {
        const status = steps.get(id)?.status
        if (status !== 'completed' && status !== 'skipped') open.push(id)
      }
      if (open.length === 0) return wasOpen ? { subject: 'run', resolved: true } : undefined
      wasOpen = true
      const needed = new Set([...facts.steps.values()].flatMap((step) => step.dependsOn))
      const isSink = open.some((id) => !needed.has(id))
      return {
        subject: 'run',
        severity: isSink ? 'critical' : 'warn',
        message: `the work ended with ${open.length === 1 ? 'an unfinished step' : `${open.length} unfinished steps`}: ${open.slice(0, 8).join(', ')}`,
        ...adviceFor(open.flatMap((id) => steps.get(id)?.error ?? [])),
      }
    }
  },
}

/** Where the model does not answer, no other plan helps, and the error of the run says what does. */
function adviceFor(errors: readonly ErrorInfo[]): Pick<Sighting, 'fix' | 'action'> {
  const failure = errors.find(({ code }) => /^(?:provider_|model_)/.test(code))
  if (failure === undefined)
    return { fix: 'Plan the unfinished steps again, with a larger budget or another agent.', action: 'replan' }
  return { fix: `Put right why the model does not answer: ${failure.message}`, action: 'none' }
}
