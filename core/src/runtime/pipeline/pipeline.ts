/**
 * The pipeline: a task runs through seven stages; each asks one question, the first plugin with an answer gives it,
 * later ones may amend it, and the next stage gets every earlier answer and nothing else.
 *
 * Two returns, here and nowhere else: a reflection with new evidence goes back to `execute`, a plan that failed goes
 * back to `plan` for its unfinished rest.
 */
import type { Allocation } from '../../contracts/stages/allocation.ts'
import type { Complexity } from '../../contracts/stages/complexity.ts'
import type { Consensus } from '../../contracts/stages/consensus.ts'
import type { Execution } from '../../contracts/stages/execution.ts'
import type { Inspection } from '../../contracts/stages/inspection.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import { isWorse, type Reflection } from '../../contracts/stages/reflection.ts'
import type { Previous } from '../../contracts/stages/stages.ts'
import type { Task } from '../../contracts/stages/task.ts'
import type { Mode } from '../../contracts/words.ts'
import { SvcError, toSvcError } from '../../errors.ts'
import { withMessages } from '../../text/task/with-messages.ts'
import { askOptionalStage, askStage } from './ask-stage.ts'
import { allocateGiven, describeGiven } from './given-plan.ts'
import { outcomeOf } from './outcome.ts'
import type { PipelineRun } from './pipeline-run.ts'

/** How often `execute` may be asked again for a reflection, and `plan` for a failed plan. */
const MAX_RETRIES = 1
const MAX_REPLANS = 2

/** Every answer of one run, as far as it went. */
export interface PipelineAnswers {
  complexity?: Complexity
  allocation?: Allocation
  plan?: Plan
  execution?: Execution
  reflection?: Reflection | undefined
  consensus?: Consensus | undefined
  inspection?: Inspection | undefined
}

export interface PipelineInput {
  task: Task
  mode: Mode
  /** A plan that is executed as it is. */
  plan: Plan | undefined
}

/**
 * Takes a task through the stages.
 *
 * @param answers is filled as the answers come, so that a run that ends early leaves what it had
 * @throws PluginError of the first four stages; LimitError and CancelledError of the gateways
 */
export async function runPipeline(
  run: PipelineRun,
  { task, mode, plan: given }: PipelineInput,
  answers: PipelineAnswers,
): Promise<void> {
  const complexity = given === undefined ? await askStage(run, 'analyze', { task }) : describeGiven(task.id, given)
  if (given === undefined) answers.complexity = complexity
  if (mode === 'analyze') return
  const allocation =
    given === undefined
      ? await askStage(run, 'allocate', { task, complexity })
      : allocateGiven(given, run.ledger.softTokens)
  answers.allocation = allocation
  run.ledger.allocate(allocation, task.riskLevel)
  if (given !== undefined) run.recorder.emit('budget.allocated', allocation)
  let plan = given ?? (await askStage(run, 'plan', { task, complexity, allocation }))
  answers.plan = plan
  run.bind(plan)
  if (given !== undefined) run.recorder.emit('plan.created', plan)
  if (mode === 'plan') return

  let replans = 0
  const execute = async (previous?: Previous): Promise<Execution> => {
    let execution = await askStage(run, 'execute', {
      task,
      complexity,
      allocation,
      plan,
      ...(previous && { previous }),
    })
    while (execution.reason === 'plan_failed' && replans < MAX_REPLANS && !run.stop.isStopped) {
      replans++
      const failed = { plan, execution }
      plan = await askStage(run, 'plan', { task, complexity, allocation, previous: failed })
      answers.plan = plan
      run.bind(plan)
      execution = await askStage(run, 'execute', { task, complexity, allocation, plan, previous: failed })
    }
    return execution
  }

  /** What is judged. */
  const asked = (): Task => ({ ...task, description: withMessages(task.description, run.recorder.view.messages) })
  let execution = await execute()
  answers.execution = execution
  let reflection = await askOptionalStage(run, 'reflect', { task: asked(), complexity, allocation, plan, execution })
  answers.reflection = reflection
  for (let retries = 0; reflection?.retry !== undefined && retries < MAX_RETRIES && canGoOn(run); retries++) {
    const first = { plan, execution, reflection }
    announceRetry(run, first)
    try {
      execution = await execute(first)
      reflection = await askOptionalStage(run, 'reflect', { task: asked(), complexity, allocation, plan, execution })
    } catch (thrown) {
      // The first answer is there: a second try that breaks off takes nothing away from it.
      if (!keepsFirst(run, first.execution, thrown)) throw thrown
      ;({ plan, execution, reflection } = first)
    }
    if (fallsBehind(execution, reflection, first)) ({ plan, execution, reflection } = first)
    answers.plan = plan
  }
  answers.execution = execution
  answers.reflection = reflection

  const consensus =
    execution.status === 'completed'
      ? await askOptionalStage(run, 'consensus', { task: asked(), complexity, allocation, plan, execution, reflection })
      : undefined
  answers.consensus = consensus
  execution = applyConsensus(consensus, execution, run)
  answers.execution = execution
  const { status, verdict, reason, error } = outcomeOf(answers, undefined, run.recorder.whole, run.facts.options)
  const why = reason ?? error?.code
  answers.inspection = await askOptionalStage(run, 'inspect', {
    task: asked(),
    complexity,
    allocation,
    plan,
    execution,
    reflection,
    consensus,
    outcome: { status, verdict, ...(why !== undefined && { reason: why }) },
  })
}

const canGoOn = (run: PipelineRun): boolean => !run.stop.isStopped && !run.ledger.exhausted

/** Every second try is announced, with the check that asked for it. */
function announceRetry(run: PipelineRun, { plan, reflection }: { plan: Plan; reflection: Reflection }): void {
  const failed = reflection.checks.find(({ result, critical }) => result === 'fail' && critical)
  const check = failed ?? reflection.checks.find(({ result }) => result === 'fail')
  const last = plan.steps.at(-1)
  const evidence = check?.evidence ?? reflection.retry?.reason ?? ''
  run.recorder.emit(
    'step.retrying',
    { tries: run.stages.attempt + 1, delayMs: 0, check: { id: check?.id ?? 'reflection', evidence } },
    { stepId: last?.id ?? 'step-1', ...(last && { agentId: last.agentId }) },
  )
}

/** Whether a second try that threw leaves a complete first answer standing. A person who cancels wants neither. */
function keepsFirst(run: PipelineRun, { status }: Execution, thrown: unknown): boolean {
  if (status !== 'completed' || !SvcError.isInstance(thrown)) return false
  if (thrown.code === 'cancelled' || thrown.code === 'store_unavailable' || thrown.code === 'lease_lost') return false
  if (run.stop.isStopped && thrown.exitCode !== 6) return false
  run.recorder.warn({
    code: 'retry_failed',
    message: `a second try broke off, so the first answer stands: ${toSvcError(thrown).message}`,
  })
  return true
}

/** The keep-best rule: a second answer stands only when it is complete where the first was, and the rules find it no worse. */
function fallsBehind(
  execution: Execution,
  reflection: Reflection | undefined,
  first: { execution: Execution; reflection: Reflection },
): boolean {
  if (execution === first.execution) return false
  if (execution.status !== 'completed' && first.execution.status === 'completed') return true
  return reflection !== undefined && isWorse(reflection, first.reflection)
}

/** What agreement, or the lack of it, means for the answer. */
function applyConsensus(consensus: Consensus | undefined, execution: Execution, run: PipelineRun): Execution {
  if (consensus === undefined) return execution
  if (consensus.decision !== 'accept') {
    const code = consensus.decision === 'escalate' ? 'consensus_escalated' : 'consensus_not_reached'
    const votes = consensus.votes.length
    run.recorder.warn({
      code,
      message: `${votes} ${votes === 1 ? 'vote' : 'votes'} did not agree on an answer (${consensus.stopReason}): have a person look at it`,
    })
    return execution
  }
  const { answer } = consensus
  if (typeof answer !== 'string' || answer === '' || answer === execution.output) return execution
  run.recorder.warn({
    code: 'answer_replaced_by_vote',
    message: 'the votes agreed on another answer than the agents gave; theirs stands',
  })
  return { ...execution, output: answer }
}
