import { shownStateOf } from '@svc/core/client'
import type { ExecutionResult } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { AnswerCard, DoneWithoutAnswer } from '../../answer/answer-card.tsx'
import { useLoad } from '../../session/use-load.ts'

/** What a run did beside its answer: checks, programs, files. */
export function RunCard({ runId, extra }: { runId: string; extra: ComponentChildren }) {
  const { value: run } = useLoad(({ runs }) => runs.get(runId), [runId])
  const { result, status, verdict } = run ?? {}
  if (result === undefined || status === undefined || !('summary' in result)) return extra
  const whole = result as Partial<ExecutionResult>
  // How the others ended is said below, with what to do next.
  if (status !== 'completed') return <DoneWithoutAnswer runId={runId} result={whole} />
  return (
    <AnswerCard
      runId={runId}
      result={whole}
      stands={shownStateOf({ status, verdict })}
      reflection={whole.reflection}
      isShownAbove
      extra={extra}
    />
  )
}
