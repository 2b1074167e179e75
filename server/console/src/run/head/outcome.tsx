import type { ShownState } from '@svc/core/client'
import type { ExecutionResult, Reflection } from '@svc/sdk/remote'
import { AnswerCard } from '../../answer/answer-card.tsx'
import { Card } from '../../parts/card.tsx'

interface OutcomeProps {
  runId: string
  result: Partial<ExecutionResult>
  stands: ShownState
  /** What was checked; undefined where nothing was. */
  reflection: Reflection | undefined
  isOurs: boolean
}

/** What a run came to, under a title that says whether it is an answer. */
export function Outcome(props: OutcomeProps) {
  const { result, stands } = props
  const isThere = stands.status !== 'failed' && (result.summary ?? '') !== ''
  return (
    <Card
      class="outcome"
      title={stands.status === 'completed' ? 'Answer' : isThere ? 'What there is of an answer' : 'No answer'}
    >
      <div class="body">
        <AnswerCard {...props} />
      </div>
    </Card>
  )
}
