import type { ManagedConfig, SvcConfig, Tightening } from '../contracts/config.ts'
import type { Cassette } from '../contracts/log/cassette.ts'
import type { MemoryApi } from '../contracts/memory/memory.ts'
import type { ModelProvider } from '../contracts/model/model.ts'
import type { AgentProfile } from '../contracts/plugin/agent-profile.ts'
import type { OwnTopology } from '../contracts/plugin/own-topology.ts'
import type { EventBus, Registry, Socket } from '../contracts/plugin/plugin.ts'
import type { UnusablePart } from '../contracts/plugin/unusable-part.ts'
import type { RunOptions } from '../contracts/run/run.ts'
import type { Audit, RulesFile, Runtime } from '../contracts/runtime/runtime.ts'
import type { InspectionApi } from '../contracts/stages/inspection.ts'
import type { RunRow, Store } from '../contracts/store/store.ts'
import type { NoteReader } from '../contracts/tool/folder-note.ts'
import type { CheckedFetch, Tool } from '../contracts/tool/tool.ts'
import type { ToolSource } from '../contracts/tool/tool-source.ts'
import type { WorkspaceFiles } from '../contracts/tool/workspace-files.ts'
import type { Warning } from '../contracts/warning.ts'
import type { Background } from '../support/background.ts'
import type { PerName } from '../support/per-name.ts'
import type { Redactor } from '../support/secrets.ts'
import type { Deadlines } from '../support/timers/deadlines.ts'
import type { Gate } from './calls/model/admission.ts'
import type { Breaker } from './calls/model/breaker.ts'
import type { ModelCatalog } from './calls/model/model-catalog.ts'
import type { HookAssembly, TapTime } from './hooks/hooks.ts'
import type { LogLimits } from './journal/log-size.ts'

/** Agent profiles: those of the config, and those put at run time over them. */
export interface Agents {
  readonly api: Runtime['agents']
  /** @throws NotFoundError `agent_not_found` */
  find(id: string): Promise<AgentProfile>
  /** The profiles of a run's agents. @throws NotFoundError `agent_not_found` */
  resolve(named: RunOptions['agents'], timeMs?: number): Promise<readonly AgentProfile[]>
}

/**
 * The services of a runtime under one config: made once, handed on by reference, never listed again. A reload makes another
 * one; a run keeps the one that it began with.
 */
export interface Environment {
  readonly version: string
  readonly config: SvcConfig
  /** Of the config in force. */
  readonly configHash: string
  /** Which file or layer each value of the config came from, by JSON pointer. */
  readonly origin: Readonly<Record<string, string>>
  /** Bounds that a config cannot loosen. */
  readonly managed: ManagedConfig | undefined
  readonly tightening: Tightening | undefined
  readonly store: Store
  /** Carries events to those who listen to the runtime. */
  readonly bus: EventBus
  /** Carries events of runs under this config to its plugins. */
  readonly pluginBus: EventBus
  readonly hooks: HookAssembly
  /** How often each tap was asked in this process, and how long that took. */
  readonly tapTimes: Map<string, TapTime>
  readonly providers: Registry<ModelProvider>
  readonly catalog: ModelCatalog
  /** Those of plugins, and what their sources have at present. */
  readonly tools: Registry<Tool>
  readonly toolSources: Registry<ToolSource>
  /** Those of plugins. */
  readonly topologies: Registry<OwnTopology>
  /** What is described and cannot be used. */
  readonly unusable: readonly UnusablePart[]
  readonly agents: Agents
  readonly memory: Socket<MemoryApi>
  /** Deletes what runs wrote to the memory; awaited before they are removed. */
  readonly forgetRuns: ((runs: readonly Pick<RunRow, 'id' | 'owner' | 'space'>[]) => Promise<void>) | undefined
  /** Throws for a budget in tokens with which no run can work, where one plugin alone allocates. */
  readonly checkBudget: ((tokens: number) => void) | undefined
  readonly inspection: Socket<InspectionApi>
  /** Absolute path of the folder that tools are confined to. */
  readonly workspace: string
  /** The files of it that a run can name. */
  readonly files: WorkspaceFiles | undefined
  /** Reads what the `AGENTS.md` files of it say. */
  readonly notes: NoteReader | undefined
  /** Whether somebody trusts it. */
  readonly trustsWorkspace: boolean
  /** What the runs of this process are begun under; it works on no others. Undefined: on all. */
  readonly space: string | undefined
  /** Takes secrets out of a text. */
  readonly redact: Redactor
  /** The guarded `fetch` handed to tools. */
  readonly fetch: CheckedFetch
  /** Most bytes of one tool result that a model is shown. */
  readonly toolOutputBytes: number
  /** How long the log of one run may get. */
  readonly logLimits: LogLimits
  /** Put into every result. */
  readonly warnings: readonly Warning[]
  /** Writes down who decided what. */
  readonly audit: Audit
  /** Where rules of the person are written to. */
  readonly rulesFile: RulesFile | undefined
  /** Recorded calls that are asked before one is made. */
  readonly cassette: Cassette | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Which runs this process works on. */
  readonly claims: 'all' | 'own' | 'none'
  /** How long a process may be silent before another takes over its runs. */
  readonly leaseMs: number
  /** Let calls to a provider leave by what it takes, over all runs; by its id. */
  readonly gates: PerName<Gate>
  /** Keep calls from a provider that cannot be reached, over all runs; by its id. */
  readonly breakers: PerName<Breaker>
  readonly deadlines: Deadlines
  /** Work that nobody waits for, but the end of the runtime. */
  readonly background: Background
}

/** What stays the same when the config is replaced. */
export type Lasting = Pick<
  Environment,
  'store' | 'audit' | 'bus' | 'tapTimes' | 'space' | 'clock' | 'claims' | 'leaseMs' | 'deadlines' | 'background'
>
