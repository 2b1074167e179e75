import type { Detector } from '../detector.ts'

/** The task was ambiguous, nobody was asked, and the run did not come to its end. */
export const noClarification: Detector = {
  code: 'no-clarification',
  mast: '2.2',
  on: ['analysis.completed', 'run.waiting', 'run.failed', 'run.incomplete'],
  watch(_facts, { ambiguous }) {
    let questions: string[] = []
    let wasAsked = false
    return ({ type, data }) => {
      if (type === 'analysis.completed') {
        const { features, openQuestions } = data as { features?: { ambiguity?: unknown }; openQuestions?: unknown }
        const isAmbiguous = typeof features?.ambiguity === 'number' && features.ambiguity >= ambiguous
        questions = isAmbiguous && Array.isArray(openQuestions) ? openQuestions.map(String) : []
      } else if (type === 'run.waiting') wasAsked ||= data.reason === 'input'
      else if (questions.length > 0 && !wasAsked) {
        return {
          subject: 'run',
          severity: 'info',
          message: `the task was ambiguous, nobody was asked, and the run did not succeed: ${questions.slice(0, 3).join(' ')}`,
          fix: 'Answer the open questions in the task and run it again.',
          action: 'escalate',
        }
      }
      return undefined
    }
  },
}
