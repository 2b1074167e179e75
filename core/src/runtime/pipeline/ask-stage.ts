import type { Plan } from '../../contracts/stages/plan.ts'
import type { Answers, Inputs, Stage } from '../../contracts/stages/stages.ts'
import { toTopology } from '../../contracts/words.ts'
import { PluginError, RunError, SvcError, toSvcError } from '../../errors.ts'
import { inheritStage } from './inherit-stage.ts'
import type { PipelineRun } from './pipeline-run.ts'

/** Stages that may stay unanswered. */
type OptionalStage = 'reflect' | 'consensus' | 'inspect'

type Answered<S extends Stage> = S extends OptionalStage ? Answers[S] | undefined : Answers[S]

/** Asks a stage whose failure is a warning and whose silence is fine. */
export async function askOptionalStage<S extends OptionalStage>(
  run: PipelineRun,
  stage: S,
  input: Inputs[S],
): Promise<Answers[S] | undefined> {
  try {
    return await askStage(run, stage, input)
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || ENDS_THE_RUN.has(thrown.code)) throw thrown
    run.recorder.warn({ code: thrown.code, message: thrown.message })
    const plugin = thrown instanceof PluginError ? thrown.plugin : 'unknown'
    run.recorder.emit('plugin.error', { plugin, stage, error: thrown.toInfo() })
    return undefined
  }
}

const ENDS_THE_RUN: ReadonlySet<string> = new Set(['cancelled', 'store_unavailable', 'lease_lost', 'replay_diverged'])

/**
 * Asks the plugins of one stage.
 *
 * @throws PluginError `stage_unanswered` when nobody answers one of the first four; what the stage threw; the reason of
 *   the stop after one
 */
export async function askStage<S extends Stage>(run: PipelineRun, stage: S, input: Inputs[S]): Promise<Answered<S>> {
  if (isStopped(run, stage)) throw run.stop.reason
  const kept = run.stages.enter(stage)
  if (kept !== undefined) return inheritStage(run, stage, kept) as Answered<S>
  const started = performance.now()
  const { hooks } = run.env
  run.recorder.stage = stage
  run.context.answeredBy = ''
  run.context.tapped = []
  if (stage === 'execute') run.stages.attempt++
  run.recorder.emit('stage.started', { plugins: hooks.pluginsOf(stage) })
  let answer: Answers[S] | undefined
  try {
    answer = (await hooks.ask(stage, input as never, run.context)) as typeof answer
    if (answer !== undefined && stage === 'plan') assertAsked(run.facts, answer as Plan)
    if (answer !== undefined) emitAnswer(run, stage, input, answer)
    else if (!OPTIONAL.has(stage)) throw unanswered(stage)
  } catch (thrown) {
    run.recorder.emit('stage.failed', { error: toSvcError(thrown).toInfo(), ...tapsOf(run.context) })
    run.recorder.stage = undefined
    throw thrown
  }
  const durationMs = round(performance.now() - started)
  run.recorder.emit('stage.completed', { durationMs, plugin: run.context.answeredBy, ...tapsOf(run.context) })
  run.recorder.stage = undefined
  return answer as Answered<S>
}

const OPTIONAL: ReadonlySet<Stage> = new Set<Stage>(['reflect', 'consensus', 'inspect'])

/** A cancelled run asks nothing more; a run that met a limit is still looked at. */
function isStopped(run: PipelineRun, stage: Stage): boolean {
  if (!run.stop.isStopped) return false
  const { reason } = run.stop
  return !OPTIONAL.has(stage) || !SvcError.isInstance(reason) || reason.exitCode !== 6
}

/** Each answer is said once: by an event of its own, or in the result alone; that is recorded beside the log. */
function emitAnswer<S extends Stage>(run: PipelineRun, stage: S, input: Inputs[S], answer: Answers[S]): void {
  switch (stage) {
    case 'analyze':
      run.recorder.emit('analysis.completed', answer as Answers['analyze'])
      return
    case 'allocate':
      run.recorder.emit('budget.allocated', answer as Answers['allocate'])
      return
    case 'plan':
      emitPlan(run, input as Inputs['plan'], answer as Plan)
      return
    case 'reflect':
      run.recorder.emit('reflection.completed', answer as Answers['reflect'])
      return
    case 'consensus':
      run.recorder.emit('consensus.resolved', answer as Answers['consensus'])
      return
    case 'execute':
    case 'inspect':
      run.recorder.note(run.stages.keyOf(stage), answer)
      return
  }
}

function emitPlan(run: PipelineRun, { previous }: Inputs['plan'], plan: Plan): void {
  for (const message of plan.warnings) run.recorder.warn({ code: 'plan_warning', message })
  if (previous === undefined) run.recorder.emit('plan.created', plan)
  else {
    const reason = previous.execution.error?.message ?? 'the plan failed'
    run.recorder.emit('plan.revised', { reason, plan })
  }
}

/**
 * A topology that was asked for is that of the plan, also of one that a plugin made.
 *
 * @throws RunError `plan_invalid`
 */
function assertAsked({ options: { topology = 'AUTO' } }: PipelineRun['facts'], plan: Plan): void {
  const asked = toTopology(topology, [topology.trim().toUpperCase()])
  if (asked === 'AUTO' || asked === plan.topology) return
  throw new RunError(
    'plan_invalid',
    `the run asks for ${asked}, and its plan is ${plan.topology}: correct the plugin that plans, or leave the topology to svc (AUTO)`,
  )
}

const unanswered = (stage: Stage): PluginError =>
  new PluginError(
    'stage_unanswered',
    `no plugin answered ${stage}: add one that taps it, or leave the default in its slot`,
    { plugin: 'none', stage },
  )

const tapsOf = ({ tapped }: PipelineRun['context']) => (tapped.length === 0 ? {} : { taps: tapped })

const round = (ms: number): number => Math.round(ms * 1000) / 1000
