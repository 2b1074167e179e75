import type { AgentProfile } from '../../contracts/agent-profile.ts'
import type { Limits, ManagedConfig, SvcConfig } from '../../contracts/config.ts'
import type { RunEvent } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { Registry } from '../../contracts/plugin.ts'
import type { Run, RunCreate, RunOptions } from '../../contracts/run.ts'
import { RunCreate as RunCreateSchema } from '../../contracts/run.ts'
import type { Stage } from '../../contracts/stages.ts'
import type { Task } from '../../contracts/task.ts'
import type { ThreadMessage } from '../../contracts/thread.ts'
import type { Tool, ToolInfo } from '../../contracts/tool.ts'
import type { Warning } from '../../contracts/warning.ts'
import { TOPOLOGIES, toTopology } from '../../contracts/words.ts'
import { type FieldError, ValidationError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { nearest } from '../../text/nearest.ts'
import { parse } from '../../validate.ts'
import type { AgentBook } from '../agent-registry.ts'
import { ApprovalsDesk, type Waiting } from './approvals.ts'
import { Semaphore } from '../concurrency.ts'
import type { HookAssembly, TapTrace } from '../pipeline/hooks.ts'
import { digest } from '../ids.ts'
import { Ledger } from '../budget/ledger.ts'
import { createMemoryStore } from '../stores/memory-store.ts'
import type { ModelCatalog, ResolvedModel } from '../calls/model-catalog.ts'
import { matchesGlob, Policy } from '../calls/policy.ts'
import { LiveRun } from './session.ts'
import { toJsonSchema } from '../calls/tool-arguments.ts'

/** The soft budget of a run that names none. */
const DEFAULT_TOKEN_BUDGET = 64_000
/** Most bytes of one tool result that a model is shown. */
const TOOL_RESULT_BYTES = 65_536

export interface FactoryParts {
  assembly: HookAssembly
  config: SvcConfig
  managed: ManagedConfig | undefined
  catalog: ModelCatalog
  tools: Registry<Tool>
  agents: AgentBook
  approvals: ApprovalsDesk
  workspace: string
  fetch: typeof fetch
  clock: () => number
  leaseMs: number
  warnings: readonly Warning[]
  versions: Record<string, string>
  onTap: ((trace: TapTrace) => void) | undefined
  publish(event: RunEvent): void
  listen(handler: (event: RunEvent) => void): () => void
  /** Whether anybody listens to events now. */
  isRead(): boolean
  keep(bytes: Uint8Array): Promise<string>
  messagesOf(threadId: string): Promise<ThreadMessage[]>
}

/** A request for a run that can be carried out. */
export interface CheckedRun {
  create: RunCreate
  model: ResolvedModel
  agents: AgentProfile[]
  messages: ThreadMessage[]
}

/** Checks what a run is asked to be, and makes it. */
export class RunFactory {
  readonly #parts: FactoryParts
  readonly #semaphores = new Map<string, Semaphore>()
  readonly configHash: string

  constructor(parts: FactoryParts) {
    this.#parts = parts
    this.configHash = digest(JSON.stringify(parts.config)).slice(0, 16)
  }

  get limits(): Limits {
    return { ...this.#parts.config.server?.limits, ...this.#parts.managed?.server?.limits }
  }

  get approvals(): ApprovalsDesk {
    return this.#parts.approvals
  }

  get clock(): () => number {
    return this.#parts.clock
  }

  get leaseMs(): number {
    return this.#parts.leaseMs
  }

  get versions(): Record<string, string> {
    return this.#parts.versions
  }

  get hooks(): HookAssembly['hooks'] {
    return this.#parts.assembly.hooks
  }

  get tokenBudget(): number {
    return this.#parts.config.tokenBudget ?? DEFAULT_TOKEN_BUDGET
  }

  listen(handler: (event: RunEvent) => void): () => void {
    return this.#parts.listen(handler)
  }

  readonly pluginsOf = (stage: Stage): string[] => {
    return this.#parts.assembly.pluginsOf(stage)
  }

  /**
   * Says what is wrong with a request before there is a run.
   *
   * @param runId of a run that there is already: its thread counts up to it
   * @throws ValidationError, NotFoundError (agent, thread, model), ConfigError (provider)
   */
  async check(create: RunCreate, runId?: string): Promise<CheckedRun> {
    checkTask(create)
    const parsed = parse(RunCreateSchema, create, 'run')
    checkTopology(parsed.topology)
    checkTools(parsed.tools, this.#parts.tools)
    const model = await this.#parts.catalog.resolve(parsed.model ?? '')
    const maxCostUsd = this.#budgetOf(parsed).maxCostUsd
    if (maxCostUsd !== undefined && model.info?.price === undefined) {
      throw new ValidationError(
        'validation_failed',
        `budget.maxCostUsd: no price is known for ${model.provider.id}/${model.model}: give it one in the config, or leave the limit out`,
        {
          errors: [{ path: '/budget/maxCostUsd', message: 'needs a model with a price' }],
        },
      )
    }
    const agents = await this.#parts.agents.resolve(parsed.agents)
    const said = parsed.threadId === undefined ? [] : await this.#parts.messagesOf(parsed.threadId)
    const messages = runId === undefined ? said : said.filter((message) => message.runId < runId)
    return { create: parsed, model, agents, messages }
  }

  /** The task as the stages are told it. */
  taskOf(run: Run, create: RunCreate, tools: readonly ToolInfo[]): Task {
    return {
      id: run.id,
      description: create.task,
      ...(create.riskLevel && { riskLevel: create.riskLevel }),
      tools: tools.map(({ id }) => id),
      ...(create.context === undefined ? {} : { contextTokens: estimateTokens(create.context) }),
    }
  }

  wallMsOf(create: RunCreate): number | undefined {
    return this.#budgetOf(create).maxWallMs
  }

  /** Makes the run that walks the corridor. */
  async live(
    run: Run,
    { create, model, agents, messages }: CheckedRun,
    journal: Journal,
    controller: AbortController,
    earlierEvents: readonly RunEvent[],
    callbacks: {
      onWaiting(waiting: Waiting | undefined, answered?: Waiting): void
      onEvent(event: RunEvent): void
      /** False: who made the run reads no pieces of answers. */
      deltas?: boolean
      /** True for a replay, which nobody else should see. */
      quiet?: boolean
    },
  ): Promise<LiveRun> {
    const parts = this.#parts
    const options = withThread(optionsOf(create), messages)
    const budget = this.#budgetOf(create)
    const wantedSoft = create.tokenBudget ?? this.tokenBudget
    const hardTokens = budget.maxTokens ?? 2 * wantedSoft
    const live = new LiveRun({
      id: run.id,
      threadId: create.threadId,
      options,
      seed: create.seed ?? Number.parseInt(digest(run.id).slice(0, 8), 16),
      journal,
      ledger: new Ledger({
        softTokens: Math.min(wantedSoft, hardTokens),
        hardTokens,
        maxCostUsd: budget.maxCostUsd,
        maxCalls: budget.maxSteps,
      }),
      hooks: parts.assembly.hooks,
      catalog: parts.catalog,
      policy: new Policy({
        managed: parts.managed?.policy,
        config: parts.config.policy,
        options,
        workspace: parts.workspace,
        readOnly: run.mode === 'plan',
      }),
      fallbackModels: parts.config.fallback ?? [],
      workspace: parts.workspace,
      fetch: parts.fetch,
      toolOutputBytes: this.limits.toolResultBytes ?? TOOL_RESULT_BYTES,
      clock: parts.clock,
      semaphore: (id, limit) => this.#semaphore(id, limit),
      keep: parts.keep,
      // A replay asks nobody, so nobody should be shown its questions.
      approvals: callbacks.quiet === true ? new ApprovalsDesk(createMemoryStore(), parts.clock) : parts.approvals,
      toolRegistry: parts.tools,
      tools: this.#toolsOf(options),
      agents,
      defaultModel: `${model.provider.id}/${model.model}`,
      contextTokens: model.info?.context,
      deterministic: model.provider.deterministic === true,
      controller,
      earlierEvents,
      publish: (event) => {
        callbacks.onEvent(event)
        if (callbacks.quiet !== true) parts.publish(event)
      },
      onWaiting: callbacks.onWaiting,
      onTap: parts.onTap,
      isRead: () => callbacks.deltas !== false || parts.isRead(),
    })
    for (const warning of parts.warnings) live.warn(warning)
    return live
  }

  /** What the run allows, after its own and everyone's limits. */
  #budgetOf(create: RunCreate): NonNullable<RunOptions['budget']> {
    const layers: NonNullable<RunOptions['budget']> = { ...this.#parts.config.budget, ...create.budget }
    const bound = this.#parts.managed?.budget ?? {}
    const tighter = (name: keyof typeof layers): number | undefined => {
      const values = [layers[name], bound[name]].filter((value) => value !== undefined)
      return values.length === 0 ? undefined : Math.min(...values)
    }
    const names = ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs'] as const
    return Object.fromEntries(names.flatMap((name) => (tighter(name) === undefined ? [] : [[name, tighter(name)]])))
  }

  #toolsOf({ tools: { allow, deny } = {} }: RunOptions): ToolInfo[] {
    return this.#parts.tools.ids().flatMap((id) => {
      const tool = this.#parts.tools.get(id)
      if (tool === undefined || deny?.some((pattern) => matchesGlob(pattern, id))) return []
      if (allow !== undefined && !allow.some((pattern) => matchesGlob(pattern, id))) return []
      return [{ id, description: tool.description, parameters: toJsonSchema(tool.parameters), risk: tool.risk }]
    })
  }

  #semaphore(id: string, limit: number): Semaphore {
    let semaphore = this.#semaphores.get(id)
    if (semaphore === undefined) {
      semaphore = new Semaphore(limit)
      this.#semaphores.set(id, semaphore)
    }
    return semaphore
  }
}

function optionsOf(create: RunCreate): RunOptions {
  const { task: _task, mode: _mode, threadId: _threadId, plan: _plan, onDisconnect: _onDisconnect, ...options } = create
  return options
}

/** What was said in the thread before stands before the run's own context. */
function withThread(options: RunOptions, messages: readonly ThreadMessage[]): RunOptions {
  if (messages.length === 0) return options
  const said = messages.map(({ role, content }) => `${role}: ${content}`).join('\n')
  const context = `Earlier in this conversation:\n${said}`
  return { ...options, context: options.context === undefined ? context : `${context}\n\n${options.context}` }
}

function invalid(path: string, message: string): ValidationError {
  const errors: FieldError[] = [{ path, message }]
  return new ValidationError('validation_failed', `run: ${path} ${message}`, { errors })
}

function checkTask({ task }: RunCreate): void {
  if (typeof task !== 'string') throw invalid('/task', 'must be a text')
  if (task.trim() === '') throw invalid('/task', 'must not be empty: say in plain language what is to be done')
  if (task.length > 200_000) throw invalid('/task', `must have at most 200000 characters, this has ${task.length}`)
}

function checkTopology(topology: string | undefined): void {
  if (topology === undefined || toTopology(topology) !== undefined) return
  const known = ['AUTO', ...TOPOLOGIES]
  const guess = nearest(topology, known)
  throw invalid(
    '/topology',
    `must be one of ${known.join(', ')}, not "${topology}"${guess === undefined ? '' : `: did you mean ${guess}?`}`,
  )
}

function checkTools(tools: RunOptions['tools'], registry: Registry<Tool>): void {
  const ids = registry.ids()
  for (const list of ['allow', 'deny'] as const) {
    for (const pattern of tools?.[list] ?? []) {
      if (ids.some((id) => matchesGlob(pattern, id))) continue
      const guess = nearest(pattern, ids)
      throw invalid(
        `/tools/${list}`,
        `names no tool: "${pattern}"${guess === undefined ? '' : ` (did you mean "${guess}"?)`}. Known: ${ids.join(', ')}`,
      )
    }
  }
}
