import type { ErrorInfo } from '../../../contracts/error-info.ts'
import type { Detector, Sighting } from '../detector.ts'

/** The work ended while steps were unfinished. */
export const prematureEnd: Detector = {
  code: 'premature-end',
  mast: '3.1',
  on: ['stage.completed', 'run.completed', 'run.incomplete', 'run.failed'],
  watch(facts) {
    return ({ type, stage }) => {
      const { steps: views } = facts.view
      // A plan of which no step was ever reported was executed by other means.
      if ((type === 'stage.completed' && stage !== 'execute') || views.size === 0) return undefined
      const steps = [...facts.steps.values()]
      const open = steps.filter(({ id }) => !['completed', 'skipped'].includes(views.get(id)?.status ?? ''))
      if (open.length === 0) return { subject: 'run', resolved: true }
      const needed = new Set(steps.flatMap(({ dependsOn }) => dependsOn))
      const ids = open.map(({ id }) => id)
      return {
        subject: 'run',
        severity: ids.some((id) => !needed.has(id)) ? 'critical' : 'warn',
        message: `the work ended with ${open.length === 1 ? 'an unfinished step' : `${open.length} unfinished steps`}: ${ids.slice(0, 8).join(', ')}`,
        ...adviceFor(ids.flatMap((id) => views.get(id)?.error ?? [])),
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
