import type { EventEmitter } from 'eventemitter3'
import type { AsyncSeriesWaterfallHook } from 'tapable'
import type { SvcConfig } from '../config.ts'
import type { RunEvent } from '../log/event.ts'
import type { MemoryApi } from '../memory/memory.ts'
import type { ToolCall } from '../model/message.ts'
import type { ModelAnswer, ModelProvider, ModelRequest } from '../model/model.ts'
import type { ProviderAdapter } from '../model/provider-adapter.ts'
import type { RunContext } from '../run/run-context.ts'
import type { InspectionApi } from '../stages/inspection.ts'
import type { PlanInput } from '../stages/plan.ts'
import type { Answers, Inputs, Stage } from '../stages/stages.ts'
import type { Records, StoreFactory } from '../store/store.ts'
import type { Tool, ToolAnswer, ToolDecision } from '../tool/tool.ts'
import type { ToolSource } from '../tool/tool-source.ts'
import type { ToolRisk } from '../words.ts'
import type { OwnTopology } from './own-topology.ts'

/** One stage's hook: the answer so far, the stage's input, the run. */
export type StageHook<S extends Stage> = AsyncSeriesWaterfallHook<
  [Answers[S] | undefined, Inputs[S], RunContext],
  // What a plan leaves out is filled in.
  (S extends 'plan' ? PlanInput : Answers[S]) | undefined
>

export type StageHooks = { readonly [S in Stage]: StageHook<S> }

/** What happens inside `execute`, call by call. */
export interface CallHooks {
  /** May change a request before it is sent. */
  readonly modelRequest: AsyncSeriesWaterfallHook<[ModelRequest | undefined, ModelRequest, RunContext]>
  /** May change an answer before anybody sees it. */
  readonly modelResponse: AsyncSeriesWaterfallHook<
    [ModelAnswer | undefined, { request: ModelRequest; answer: ModelAnswer }, RunContext]
  >
  /** May deny a tool call, ask a person, or change its arguments; it can only tighten the policy. */
  readonly toolRequest: AsyncSeriesWaterfallHook<
    [ToolDecision | undefined, ToolCall & { risk: ToolRisk; taint: string[]; agentId: string }, RunContext]
  >
  /** May change a tool's answer before the model sees it. */
  readonly toolResult: AsyncSeriesWaterfallHook<
    [ToolAnswer | undefined, { call: ToolCall; answer: ToolAnswer }, RunContext]
  >
}

/** The seven stages and the four calls. */
export type Hooks = StageHooks & CallHooks

/** Things under ids. */
export interface Registry<T> {
  /** @throws PluginError `plugin_duplicate` on a second add of one id */
  add(id: string, item: T, source?: string): void
  get(id: string): T | undefined
  ids(): string[]
  /** Where the item came from: a plugin's name, a file, `built in`. */
  source(id: string): string | undefined
}

/** One place that the plugin in a component's slot fills, so that every surface is answered by it. */
export interface Socket<T> {
  /** @throws PluginError `plugin_duplicate` when another plugin has filled it */
  provide(api: T): void
  /** Undefined where nobody fills it. */
  get(): T | undefined
}

/**
 * The one road to listeners: `on('event', handler)` hears every event of every run, `on(runId, handler)` those of one.
 * `on('passive', handler)` asks for no pieces of answers: it hears them where somebody else does. A handler that throws is
 * reported, never rethrown.
 */
export type EventBus = EventEmitter<
  { event: [RunEvent]; passive: [RunEvent] } & { [runId: `run_${string}`]: [RunEvent] }
>

/** What a plugin is handed once, when the runtime is made. */
export interface Host {
  /**
   * To tap. What a tap is shown, and what it has returned, is a frozen copy where the plugin is not svc's own.
   *
   * @throws PluginError `plugin_failed` for `tapAsync`, for `intercept`, and for a stage that is no number
   */
  readonly hooks: Hooks
  readonly providers: Registry<ModelProvider>
  /** Wire formats: `ProviderConfig.type` names one. */
  readonly adapters: Registry<ProviderAdapter>
  readonly tools: Registry<Tool>
  /** By a name that says where their tools come from. */
  readonly toolSources: Registry<ToolSource>
  /** Stores by the scheme of `store.url`. */
  readonly stores: Registry<StoreFactory>
  /**
   * Topologies by a name of capital letters, digits and `_`, which runs ask for as for svc's own.
   *
   * @throws PluginError `plugin_failed` for a name that is none, or is one of svc's own
   */
  readonly topologies: Registry<OwnTopology>
  /** Answers `runtime.memory`, the tools remember and recall, and `svc memory`. */
  readonly memory: Socket<MemoryApi>
  /** Answers `runtime.inspect()`. */
  readonly inspection: Socket<InspectionApi>
  readonly events: EventBus
  readonly config: SvcConfig
  /** What runs are to leave for later ones, in the store of the runs; from the first run on. */
  readonly records: Records['records']
  /** What runs have in common that are worked on in one place: the space of what they leave. */
  readonly space: string
}

/** Something that answers, amends or watches. */
export interface Plugin {
  readonly name: string
  /**
   * True: a user's config can neither leave it out nor replace it; its taps run last, whatever others do to their hooks, and its
   * answer stands. Counts where a program hands the plugin to `createRuntime`; of a config's plugins the managed file says it.
   */
  readonly mandatory?: boolean
  /** Where it was loaded from, for `svc plugins`. */
  readonly source?: string
  apply(host: Host): void | Promise<void>
}
