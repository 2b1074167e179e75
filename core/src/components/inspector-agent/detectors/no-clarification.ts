import type { Detector } from '../detector.ts'

/** The task was ambiguous, no question was asked, and the run did not succeed. */
export const noClarification: Detector = {
  code: 'no-clarification',
  mast: '2.2',
  on: ['run.waiting', 'run.failed', 'run.incomplete'],
  watch(facts, { ambiguous }) {
    let wasAsked = false
    return (event) => {
      if (event.type === 'run.waiting') {
        wasAsked ||= event.data.reason === 'input'
        return undefined
      }
      const { features, openQuestions = [] } = facts.view.complexity ?? {}
      if (wasAsked || openQuestions.length === 0 || (features?.ambiguity ?? 0) < ambiguous) return undefined
      return {
        subject: 'run',
        severity: 'info',
        message: `the task was ambiguous, no question was asked, and the run did not succeed: ${openQuestions.slice(0, 3).join(' ')}`,
        fix: 'Answer the open questions in the task and run it again.',
        action: 'escalate',
      }
    }
  },
}
