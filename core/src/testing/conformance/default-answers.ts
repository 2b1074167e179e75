import { AdaptiveOrchestrator } from '../../components/adaptive-orchestrator/index.ts'
import { TaskComplexityAnalyzer } from '../../components/task-complexity-analyzer/index.ts'
import { TokenBudgetAllocator } from '../../components/token-budget-allocator/index.ts'
import { textMessage } from '../../contracts/model/message-text.ts'
import { noUsage } from '../../contracts/model/usage-sum.ts'
import type { Host, Plugin } from '../../contracts/plugin/plugin.ts'
import type { RunContext } from '../../contracts/run/run-context.ts'
import type { Consensus } from '../../contracts/stages/consensus.ts'
import type { Execution } from '../../contracts/stages/execution.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import type { Reflection } from '../../contracts/stages/reflection.ts'
import type { Inputs } from '../../contracts/stages/stages.ts'
import { isTopology } from '../../contracts/words.ts'

/** How the execution of a run goes where nobody else executes. */
export type Course = 'completed' | 'failed' | 'incomplete' | 'plan failed' | 'retry'

const OUTPUT = 'The north has 41 shops and the south has 17, which makes 58.'

/**
 * The stages that the plugin under test does not answer, answered by the default components and without a model.
 *
 * @param from stage of the taps: below those of every plugin it answers first, at 0 after the plugin under test
 * @param course how the execution goes
 */
export const defaultAnswers = (name: string, from: number, course: Course): Plugin => ({
  name,
  apply({ hooks }: Host) {
    const analyzer = new TaskComplexityAnalyzer()
    const allocator = new TokenBudgetAllocator()
    const orchestrator = new AdaptiveOrchestrator({ llm: false })
    const at = { name, stage: from }
    hooks.analyze.tap(at, (answer, { task }) => answer ?? analyzer.analyze(task))
    hooks.allocate.tap(at, (answer, { complexity }, run) => answer ?? allocate(allocator, complexity, run))
    hooks.plan.tapPromise(at, async (answer, { task, complexity, allocation, previous }, run) => {
      if (answer !== undefined) return answer
      const plan = await orchestrator.planAsync(task, complexity, allocation)
      return previous === undefined ? plan : { ...plan, id: run.newId('plan', 'again') }
    })
    hooks.execute.tapPromise(at, async (answer, { plan, previous }, run) => {
      if (answer !== undefined) return answer
      await makeCalls(plan, run)
      return execute(plan, course, previous, run)
    })
    hooks.reflect.tap(at, (answer, _input, run) => answer ?? reflect(course, run))
    hooks.consensus.tap(at, (answer) => answer ?? (from < 0 ? agreed() : undefined))
    hooks.inspect.tap(at, (answer) => answer ?? { grade: 'healthy', score: 1, issues: [], signals: {} })
  },
})

const allocate = (
  allocator: TokenBudgetAllocator,
  { recommendedTopology, score, agents }: Inputs['allocate']['complexity'],
  { options }: RunContext,
) =>
  options.topology === 'PARALLEL' || !isTopology(recommendedTopology)
    ? allocator.allocate('PARALLEL', score, Math.max(3, agents))
    : allocator.allocate(recommendedTopology, score, agents)

/** A call of a tool and one of a model, for plugins that tap calls. */
async function makeCalls(plan: Plan, run: RunContext): Promise<void> {
  const agentId = plan.agents[0]?.agentId ?? 'agent-1'
  const key = `check/${plan.id}/${run.attempt}`
  const call = { key: `${key}/tool`, agentId, callId: `${key}/tool`, tool: 'read_file', args: { path: 'north.md' } }
  await run.tool(call)
  const request = { model: '', messages: [textMessage('user', 'How many shops are there?')], stream: false }
  try {
    await run.model({ ...request, key: `${key}/model`, agentId })
  } catch (thrown) {
    // How the execution goes is decided by its course.
    if (run.signal.aborted) throw thrown
  }
}

function execute(plan: Plan, course: Course, previous: Inputs['execute']['previous'], run: RunContext): Execution {
  const isBad = previous === undefined && (course === 'failed' || course === 'incomplete' || course === 'plan failed')
  const status = !isBad ? 'completed' : course === 'failed' ? 'failed' : 'incomplete'
  const error = { code: 'tool_failed' as const, message: 'the file is gone', retryable: false }
  return {
    status,
    output: isBad ? '' : OUTPUT,
    steps: plan.steps.map(({ id, agentId, objective }) => ({
      ...{ id, agentId, objective, tries: 1, usage: noUsage(), durationMs: 0 },
      status: isBad ? ('failed' as const) : ('completed' as const),
      output: isBad ? '' : OUTPUT,
      ...(isBad && { error }),
    })),
    agents: plan.agents.map((agent) => ({
      ...agent,
      model: run.defaultModel,
      status: isBad ? ('failed' as const) : ('completed' as const),
      summary: isBad ? '' : OUTPUT,
      usage: noUsage(),
      costUsd: null,
      durationMs: 0,
    })),
    artifacts: [],
    ...(isBad && { reason: course === 'plan failed' ? 'plan_failed' : 'max_steps', error }),
  }
}

function reflect(course: Course, { attempt }: RunContext): Reflection {
  const again = course === 'retry' && attempt === 1
  return {
    verdict: again ? 'revise' : 'pass',
    score: again ? 0.5 : 1,
    confidence: 1,
    checks: [{ id: 'sum', result: again ? 'fail' : 'pass', critical: false, evidence: OUTPUT, by: 'rule' }],
    ...(again && { retry: { reason: 'a shop is missing', hint: 'count again', evidence: ['41 + 17 = 58'] } }),
    lessons: [],
    usage: noUsage(),
  }
}

const agreed = (): Consensus => ({
  decision: 'accept',
  answer: OUTPUT,
  posterior: 1,
  confidence: 1,
  votes: [{ voter: 'one', family: 'check', answer: OUTPUT, usage: noUsage() }],
  effectiveVotes: 1,
  clusters: [{ canonical: OUTPUT, voters: ['one'], weight: 1 }],
  minority: [],
  stopReason: 'confident',
  usage: noUsage(),
})
