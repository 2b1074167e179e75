/**
 * The corridor: a task walks seven rooms, each room asks one question, the first plugin with an answer gives it, later
 * ones may amend it, and the next room is told every earlier answer and nothing else.
 *
 * Two returns, here and nowhere else: a reflection with new evidence goes back to `execute`, a plan that failed goes
 * back to `plan` for its unfinished rest.
 */
import type { Allocation } from '../../contracts/allocation.ts'
import type { Complexity } from '../../contracts/complexity.ts'
import type { Consensus } from '../../contracts/consensus.ts'
import type { EventType } from '../../contracts/event.ts'
import type { Execution } from '../../contracts/execution.ts'
import type { Inspection } from '../../contracts/inspection.ts'
import type { Plan } from '../../contracts/plan.ts'
import type { Hooks } from '../../contracts/plugin.ts'
import { type Reflection, ruleScore } from '../../contracts/reflection.ts'
import type { Answers, Inputs, Previous, Stage } from '../../contracts/stages.ts'
import type { Task } from '../../contracts/task.ts'
import type { Mode } from '../../contracts/words.ts'
import { PluginError, SvcError, toSvcError } from '../../errors.ts'
import { allocateGiven, describeGiven } from './given-plan.ts'
import type { LiveRun } from '../runs/session.ts'

/** How often `execute` may be asked again for a reflection, and `plan` for a failed plan. */
const MAX_RETRIES = 1
const MAX_REPLANS = 2

/** Every answer of one walk, as far as it went. */
export interface Walk {
  complexity?: Complexity
  allocation?: Allocation
  plan?: Plan
  execution?: Execution
  reflection?: Reflection | undefined
  consensus?: Consensus | undefined
  inspection?: Inspection | undefined
}

export interface CorridorInput {
  task: Task
  mode: Mode
  /** A plan that is executed as it is. */
  plan: Plan | undefined
  /** Who taps each stage, in order. */
  pluginsOf(stage: Stage): string[]
}

/**
 * Walks the corridor.
 *
 * @param walk is filled as the answers come, so that a walk that ends early leaves what it had
 * @throws PluginError of the first four stages; LimitError and CancelledError of the doors
 */
export async function walkCorridor(
  hooks: Hooks,
  run: LiveRun,
  { task, mode, plan: given, pluginsOf }: CorridorInput,
  walk: Walk,
): Promise<void> {
  const ask = createAsk(hooks, run, pluginsOf)

  const complexity = given === undefined ? await ask('analyze', { task }) : describeGiven(task, given)
  if (given === undefined) walk.complexity = complexity
  if (mode === 'analyze') return
  const allocation =
    given === undefined ? await ask('allocate', { task, complexity }) : allocateGiven(given, run.ledger.softTokens)
  walk.allocation = allocation
  run.ledger.allocate(allocation, task.riskLevel)
  if (given !== undefined) run.emit('budget.allocated', allocation)
  let plan = given ?? (await ask('plan', { task, complexity, allocation }))
  walk.plan = plan
  run.bind(plan)
  if (given !== undefined) run.emit('plan.created', plan)
  if (mode === 'plan') return

  let replans = 0
  const execute = async (previous?: Previous): Promise<Execution> => {
    let execution = await ask('execute', { task, complexity, allocation, plan, ...(previous && { previous }) })
    while (execution.reason === 'plan_failed' && replans < MAX_REPLANS && !run.signal.aborted) {
      replans++
      const failed = { plan, execution }
      plan = await ask('plan', { task, complexity, allocation, previous: failed })
      walk.plan = plan
      run.bind(plan)
      execution = await ask('execute', { task, complexity, allocation, plan, previous: failed })
    }
    return execution
  }

  let execution = await execute()
  walk.execution = execution
  let reflection = await ask.optional('reflect', { task, complexity, allocation, plan, execution })
  for (let retries = 0; reflection?.retry !== undefined && retries < MAX_RETRIES && canGoOn(run); retries++) {
    const first = { plan, execution, reflection }
    execution = await execute(first)
    reflection = await ask.optional('reflect', { task, complexity, allocation, plan, execution })
    if (isWorse(execution, reflection, first)) {
      ;({ plan, execution, reflection } = first)
      walk.plan = plan
    }
  }
  walk.execution = execution
  walk.reflection = reflection

  const consensus =
    execution.status === 'completed'
      ? await ask.optional('consensus', { task, complexity, allocation, plan, execution, reflection })
      : undefined
  walk.consensus = consensus
  execution = heed(consensus, execution, run)
  walk.execution = execution
  walk.inspection = await ask.optional('inspect', {
    task,
    complexity,
    allocation,
    plan,
    execution,
    reflection,
    consensus,
  })
}

const canGoOn = (run: LiveRun): boolean => !run.signal.aborted && !run.ledger.exhausted

/** The keep-best guard: a second answer stands only when the rules find it no worse than the first; opinions do not count. */
function isWorse(
  execution: Execution,
  reflection: Reflection | undefined,
  first: { execution: Execution; reflection: Reflection },
): boolean {
  if (execution.status !== 'completed' && first.execution.status === 'completed') return true
  return reflection !== undefined && ruleScore(reflection) < ruleScore(first.reflection)
}

/** What agreement, or the lack of it, means for the answer. */
function heed(consensus: Consensus | undefined, execution: Execution, run: LiveRun): Execution {
  if (consensus === undefined) return execution
  if (consensus.decision !== 'accept') {
    const code = consensus.decision === 'escalate' ? 'consensus_escalated' : 'consensus_not_reached'
    const votes = consensus.votes.length
    run.warn({
      code,
      message: `${votes} ${votes === 1 ? 'vote' : 'votes'} did not agree on an answer (${consensus.stopReason}): have a person look at it`,
    })
    return execution
  }
  const { answer } = consensus
  if (typeof answer !== 'string' || answer === '' || answer === execution.output) return execution
  run.warn({
    code: 'answer_replaced_by_vote',
    message: 'the votes agreed on another answer than the agents gave; theirs stands',
  })
  return { ...execution, output: answer }
}

interface Ask {
  /** @throws PluginError `stage_unanswered` when nobody answers */
  <S extends Stage>(stage: S, input: Inputs[S]): Promise<Answers[S]>
  /** A stage whose failure is a warning and whose silence is fine. */
  optional<S extends 'reflect' | 'consensus' | 'inspect'>(stage: S, input: Inputs[S]): Promise<Answers[S] | undefined>
}

/** The event that carries each stage's answer, where the answer is not in the result alone. */
const NAMED: { readonly [S in Stage]?: EventType } = {
  analyze: 'analysis.completed',
  allocate: 'budget.allocated',
  reflect: 'reflection.completed',
  consensus: 'consensus.resolved',
}

function createAsk(hooks: Hooks, run: LiveRun, pluginsOf: (stage: Stage) => string[]): Ask {
  const put = async <S extends Stage>(stage: S, input: Inputs[S]): Promise<Answers[S] | undefined> => {
    if (isStopped(run, stage)) throw run.signal.reason
    const started = performance.now()
    run.stage = stage
    run.answeredBy = ''
    if (stage === 'execute') run.attempt++
    run.emit('stage.started', { plugins: pluginsOf(stage) })
    try {
      // A hook's type depends on its stage; the compiler cannot follow the union, so it is told once, here.
      const hook = hooks[stage] as unknown as {
        promise(answer: undefined, input: Inputs[S], run: LiveRun): Promise<Answers[S] | undefined>
      }
      const answer = await hook.promise(undefined, input, run)
      if (answer !== undefined) tell(run, stage, input, answer)
      run.emit('stage.completed', { durationMs: round(performance.now() - started), plugin: run.answeredBy })
      await run.flush()
      return answer
    } catch (thrown) {
      run.emit('stage.failed', { error: toSvcError(thrown).toInfo() })
      await run.flush()
      throw thrown
    } finally {
      run.stage = undefined
    }
  }

  const ask = async <S extends Stage>(stage: S, input: Inputs[S]): Promise<Answers[S]> => {
    const answer = await put(stage, input)
    if (answer === undefined) {
      throw new PluginError(
        'stage_unanswered',
        `no plugin answered ${stage}: add one that taps it, or leave the default in its slot`,
        { plugin: 'none', stage },
      )
    }
    return answer
  }

  const optional: Ask['optional'] = async (stage, input) => {
    try {
      return await put(stage, input)
    } catch (thrown) {
      if (!SvcError.isInstance(thrown) || thrown.code === 'cancelled' || thrown.code === 'store_unavailable')
        throw thrown
      run.warn({ code: thrown.code, message: thrown.message })
      run.emit('plugin.error', {
        plugin: thrown instanceof PluginError ? thrown.plugin : 'unknown',
        stage,
        error: thrown.toInfo(),
      })
      return undefined
    }
  }
  return Object.assign(ask, { optional })
}

const OPTIONAL: ReadonlySet<Stage> = new Set<Stage>(['reflect', 'consensus', 'inspect'])

/** A cancelled run asks nothing more; a run that met a limit is still looked at. */
function isStopped(run: LiveRun, stage: Stage): boolean {
  if (!run.signal.aborted) return false
  return !OPTIONAL.has(stage) || !SvcError.isInstance(run.signal.reason) || run.signal.reason.exitCode !== 6
}

function tell<S extends Stage>(run: LiveRun, stage: S, input: Inputs[S], answer: Answers[S]): void {
  const named = NAMED[stage]
  if (named !== undefined) run.emit(named, answer)
  if (stage !== 'plan') return
  for (const message of (answer as Plan).warnings) run.warn({ code: 'plan_warning', message })
  const previous = 'previous' in input ? input.previous : undefined
  if (previous === undefined) run.emit('plan.created', answer)
  else run.emit('plan.revised', { reason: previous.execution.error?.message ?? 'the plan failed', plan: answer })
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000
