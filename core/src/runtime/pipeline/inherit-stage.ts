import type { Answers, Stage } from '../../contracts/stages/stages.ts'
import type { InheritedStage, PipelineRun } from './pipeline-run.ts'

/** Takes a stage over as it went in the run that this one is a fork of: nobody is asked, and the log says so. */
export function inheritStage<S extends Stage>(
  run: PipelineRun,
  stage: S,
  { answer, events, recalled }: InheritedStage,
): Answers[S] | undefined {
  run.recorder.stage = stage
  if (stage === 'execute') run.stages.attempt++
  if (recalled !== undefined) run.context.recall(recalled)
  const own = ownAnswer(run, stage, answer)
  for (const { type, data, place } of events) {
    if (type === 'model.completed') {
      const { usage, costUsd } = data
      run.ledger.charge(place.agentId ?? '', usage, costUsd)
      run.recorder.emit(type, { ...data, cached: true }, place)
    } else if (type === 'stage.completed') run.recorder.emit(type, { ...data, inherited: true }, place)
    else if (type === 'analysis.completed') run.recorder.emit(type, { ...data, taskId: run.facts.id }, place)
    else run.recorder.emit(type, data, place)
  }
  run.recorder.stage = undefined
  return own
}

/** The answer, about this run's task. */
function ownAnswer<S extends Stage>(run: PipelineRun, stage: S, answer: unknown): Answers[S] | undefined {
  if (answer === null) return undefined
  if (stage === 'plan') {
    const { warnings = [] } = answer as Answers['plan']
    for (const message of warnings) run.recorder.warn({ code: 'plan_warning', message })
  }
  return (stage === 'analyze' ? { ...(answer as object), taskId: run.facts.id } : answer) as Answers[S]
}
