import type { Answers, Stage } from '../../contracts/stages/stages.ts'
import type { InheritedStage, PipelineRun } from './pipeline-run.ts'

/**
 * Takes a stage over as it went in an earlier life of the run, whose log has it, or in the run that this one is a fork of,
 * and the log says so. Nobody is asked.
 */
export function inheritStage<S extends Stage>(
  run: PipelineRun,
  stage: S,
  { answer, events, recalled, isOwn = false }: InheritedStage,
): Answers[S] | undefined {
  run.recorder.stage = stage
  if (stage === 'execute') run.stages.attempt++
  if (recalled !== undefined) run.context.recall(recalled)
  const own = ownAnswer(run, stage, answer)
  for (const { type, data, place } of events) {
    const { agentId = '' } = place
    if (type === 'model.completed') run.ledger.charge(agentId, data.usage, data.costUsd)
    if (type === 'tool.completed' || type === 'tool.failed')
      run.tools.noteRead(agentId, { ...data, ok: type === 'tool.completed' })
    if (isOwn) run.recorder.emit(type, data, place)
    else if (type === 'model.completed') run.recorder.emit(type, { ...data, cached: true }, place)
    else if (type === 'stage.completed') run.recorder.emit(type, { ...data, inherited: true }, place)
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
