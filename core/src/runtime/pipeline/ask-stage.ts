import type { Plan } from '../../contracts/plan.ts'
import type { Answers, Inputs, Stage } from '../../contracts/stages.ts'
import { PluginError, SvcError, toSvcError } from '../../errors.ts'
import type { RunSession } from '../runs/session.ts'

/**
 * Asks the plugins of one stage.
 *
 * @throws PluginError `stage_unanswered` when nobody answers; what the stage threw; the signal's reason after a stop
 */
export async function askStage<S extends Stage>(run: RunSession, stage: S, input: Inputs[S]): Promise<Answers[S]> {
  const answer = await ask(run, stage, input)
  if (answer !== undefined) return answer
  throw new PluginError(
    'stage_unanswered',
    `no plugin answered ${stage}: add one that taps it, or leave the default in its slot`,
    { plugin: 'none', stage },
  )
}

/** Asks a stage whose failure is a warning and whose silence is fine. */
export async function askOptionalStage<S extends 'reflect' | 'consensus' | 'inspect'>(
  run: RunSession,
  stage: S,
  input: Inputs[S],
): Promise<Answers[S] | undefined> {
  try {
    return await ask(run, stage, input)
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || ENDS_THE_RUN.has(thrown.code)) throw thrown
    run.warn({ code: thrown.code, message: thrown.message })
    const plugin = thrown instanceof PluginError ? thrown.plugin : 'unknown'
    run.emit('plugin.error', { plugin, stage, error: thrown.toInfo() })
    return undefined
  }
}

const ENDS_THE_RUN: ReadonlySet<string> = new Set(['cancelled', 'store_unavailable', 'lease_lost', 'replay_diverged'])

async function ask<S extends Stage>(run: RunSession, stage: S, input: Inputs[S]): Promise<Answers[S] | undefined> {
  if (isStopped(run, stage)) throw run.signal.reason
  const started = performance.now()
  const { hooks } = run.env
  run.stage = stage
  run.answeredBy = ''
  if (stage === 'execute') run.attempt++
  run.emit('stage.started', { plugins: hooks.pluginsOf(stage) })
  try {
    const asked = hooks.ask(stage, input as never, run)
    const answer = (asked instanceof Promise ? await asked : asked) as Answers[S] | undefined
    if (answer !== undefined) emitAnswer(run, stage, input, answer)
    run.emit('stage.completed', { durationMs: round(performance.now() - started), plugin: run.answeredBy })
    return answer
  } catch (thrown) {
    run.emit('stage.failed', { error: toSvcError(thrown).toInfo() })
    throw thrown
  } finally {
    run.stage = undefined
    const flushing = run.flush()
    if (flushing !== undefined) await flushing
  }
}

const OPTIONAL: ReadonlySet<Stage> = new Set<Stage>(['reflect', 'consensus', 'inspect'])

/** A cancelled run asks nothing more; a run that met a limit is still looked at. */
function isStopped(run: RunSession, stage: Stage): boolean {
  if (!run.signal.aborted) return false
  return !OPTIONAL.has(stage) || !SvcError.isInstance(run.signal.reason) || run.signal.reason.exitCode !== 6
}

/** Each answer is said once: by an event of its own, or in the result alone. */
function emitAnswer<S extends Stage>(run: RunSession, stage: S, input: Inputs[S], answer: Answers[S]): void {
  switch (stage) {
    case 'analyze':
      run.emit('analysis.completed', answer as Answers['analyze'])
      return
    case 'allocate':
      run.emit('budget.allocated', answer as Answers['allocate'])
      return
    case 'plan':
      emitPlan(run, input as Inputs['plan'], answer as Plan)
      return
    case 'reflect':
      run.emit('reflection.completed', answer as Answers['reflect'])
      return
    case 'consensus':
      run.emit('consensus.resolved', answer as Answers['consensus'])
      return
  }
}

function emitPlan(run: RunSession, { previous }: Inputs['plan'], plan: Plan): void {
  for (const message of plan.warnings) run.warn({ code: 'plan_warning', message })
  if (previous === undefined) run.emit('plan.created', plan)
  else run.emit('plan.revised', { reason: previous.execution.error?.message ?? 'the plan failed', plan })
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000
