import type { AgentProfile } from '../../../contracts/plugin/agent-profile.ts'
import type { Plan, PlanAgent } from '../../../contracts/stages/plan.ts'
import type { Ledger } from '../../budget/ledger.ts'
import type { CallContext } from '../../calls/call-context.ts'
import { ModelGateway } from '../../calls/model/model-gateway.ts'
import type { Policy } from '../../calls/policy/policy.ts'
import { TaintedFiles, taintedSpans } from '../../calls/policy/tainted-files.ts'
import { ToolGateway } from '../../calls/tools/tool-gateway.ts'
import type { Environment } from '../../environment.ts'
import { TapGuard } from '../../hooks/tap-guard.ts'
import { FileChanges } from '../../journal/file-changes.ts'
import type { PreparedRun } from '../service/prepare-run.ts'
import { RunControl } from './run-control.ts'
import { RunFacts } from './run-facts.ts'
import { RunRecorder } from './run-recorder.ts'
import { RunStop } from './run-stop.ts'
import { SessionContext } from './session-context.ts'
import type { SessionOptions } from './session-options.ts'
import { StageCount } from './stage-count.ts'

/** One run at work, in parts; plugins and components see its `context`. */
export class RunSession implements CallContext {
  readonly env: Environment
  readonly facts: RunFacts
  readonly stop: RunStop
  readonly recorder: RunRecorder
  readonly control: RunControl
  readonly stages: StageCount
  readonly ledger: Ledger
  readonly policy: Policy
  readonly taintedFiles: TaintedFiles
  readonly fileChanges: FileChanges
  readonly context: SessionContext
  readonly models: ModelGateway
  readonly tools: ToolGateway
  readonly checkOutput: CallContext['checkOutput']
  readonly #profiles = new Map<string, AgentProfile>()

  constructor(env: Environment, prepared: PreparedRun, settings: SessionOptions) {
    const taps = new TapGuard(env.deadlines)
    this.env = env
    this.checkOutput = settings.checkOutput
    this.ledger = prepared.ledger
    this.policy = prepared.policy
    this.facts = new RunFacts(prepared)
    const { taintedSpan } = prepared.row
    const earlier = taintedSpans(settings.events ?? [], env.clock())
    this.taintedFiles = new TaintedFiles(env.workspace, taintedSpan === undefined ? earlier : [taintedSpan, ...earlier])
    this.stop = new RunStop((reason) => taps.stop(reason))
    this.recorder = new RunRecorder(env, prepared, settings, this.stop, () => this.control.questions.waiting)
    this.fileChanges = new FileChanges(this.recorder, env.redact, settings.steps ?? [])
    const newId = (prefix: string, key: string): string => this.context.newId(prefix, key)
    this.control = new RunControl(env, this.facts, this.recorder, this.stop, newId, settings)
    this.stages = new StageCount(settings.events, settings.steps, settings.gone)
    this.context = new SessionContext(this, taps)
    this.models = new ModelGateway(this)
    this.tools = new ToolGateway(this, settings.steps ?? [])
  }

  /** Takes over which profile an agent has, and its hard limit. An agent without a step gives its share back. */
  bind(plan: Plan): void {
    const busy = new Set(plan.steps.map(({ agentId }) => agentId))
    for (const agentId of this.ledger.agentIds) if (!busy.has(agentId)) this.ledger.finish(agentId)
    for (const agent of plan.agents) this.#bindAgent(agent)
  }

  /** Takes in an agent that works for another one. @returns how many tokens it has got */
  join(agent: Pick<PlanAgent, 'agentId' | 'profileId'>, from: { agentId: string; tokens: number }): number {
    this.#bindAgent(agent)
    return this.ledger.give(from.agentId, agent.agentId, from.tokens)
  }

  #bindAgent({ agentId, profileId }: Pick<PlanAgent, 'agentId' | 'profileId'>): void {
    const profile = this.facts.agents.find(({ id }) => id === profileId)
    if (profile === undefined) return
    this.#profiles.set(agentId, profile)
    if (profile.budget.maxTokens !== undefined) this.ledger.limit(agentId, profile.budget.maxTokens)
  }

  profileOf(agentId: string): AgentProfile | undefined {
    return this.#profiles.get(agentId)
  }

  /** The run ends, and its questions with it, those of earlier lives too. */
  closeQuestions(): void {
    this.control.questions.closeAll(this.recorder.whole.approvals.values())
  }

  /** Nothing of this life is to come but what is being written. */
  get isSealed(): boolean {
    return this.recorder.isSealed
  }

  /** The last event is said: nothing is logged or taken any more. */
  seal(): void {
    this.control.close()
    this.recorder.seal()
  }

  /** The last thing that this life writes: another goes on. */
  async release(): Promise<void> {
    this.seal()
    this.recorder.patch({ released: true })
    this.recorder.lives.getOn()
    await this.recorder.commit()
  }
}
