import type { Answers, Stage } from '../../contracts/stages.ts'
import type { KeptStage } from '../runs/kept-stages.ts'
import type { RunSession } from '../runs/session.ts'

/** Takes a stage over as it went in the run that this one is a fork of: nobody is asked, and the log says so. */
export async function inheritStage<S extends Stage>(
  run: RunSession,
  stage: S,
  { answer, events, recalled }: KeptStage,
): Promise<Answers[S] | undefined> {
  run.stage = stage
  if (stage === 'execute') run.attempt++
  if (recalled !== undefined) run.recall(recalled)
  const own = ownAnswer(run, stage, answer)
  for (const { type, data, place } of events) {
    if (type === 'model.completed') {
      const { usage, costUsd } = data
      run.ledger.charge(place.agentId ?? '', usage, costUsd)
      run.emit(type, { ...data, cached: true }, place)
    } else if (type === 'stage.completed') run.emit(type, { ...data, inherited: true }, place)
    else if (type === 'analysis.completed') run.emit(type, { ...data, taskId: run.id }, place)
    else run.emit(type, data, place)
  }
  run.stage = undefined
  await run.flush()
  return own
}

/** The answer, about this run's task. */
function ownAnswer<S extends Stage>(run: RunSession, stage: S, answer: unknown): Answers[S] | undefined {
  if (answer === null) return undefined
  if (stage === 'plan') {
    const { warnings = [] } = answer as Answers['plan']
    for (const message of warnings) run.warn({ code: 'plan_warning', message })
  }
  return (stage === 'analyze' ? { ...(answer as object), taskId: run.id } : answer) as Answers[S]
}
