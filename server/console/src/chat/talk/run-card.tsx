import { shownStateOf } from '@svc/core/client'
import type { ExecutionResult, Run } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { AnswerCard, DoneWithoutAnswer } from '../../answer/answer-card.tsx'

/** What a run did beside its answer: checks, programs, files. @param run with its result, once it is here */
export function RunCard({ run, extra }: { run: Run | undefined; extra: ComponentChildren }) {
  const { result } = run ?? {}
  if (run === undefined || result === undefined || !('summary' in result)) return <>{extra}</>
  const whole = result as Partial<ExecutionResult>
  // How the others ended is said below, with what to do next.
  if (run.status !== 'completed') return <DoneWithoutAnswer runId={run.id} result={whole} />
  return (
    <AnswerCard
      runId={run.id}
      result={whole}
      stands={shownStateOf(run)}
      reflection={whole.reflection}
      isShownAbove
      extra={extra}
    />
  )
}
