import type { ManagedConfig, SvcConfig, Tightening } from '../../contracts/config.ts'
import type { Cassette } from '../../contracts/log/cassette.ts'
import type { AgentInput } from '../../contracts/plugin/agent-profile.ts'
import type { Plugin } from '../../contracts/plugin/plugin.ts'
import type { UnusablePart } from '../../contracts/plugin/unusable-part.ts'
import type { Audit, Caller, RulesFile } from '../../contracts/runtime/runtime.ts'
import type { Store } from '../../contracts/store/store.ts'
import type { NoteReader } from '../../contracts/tool/folder-note.ts'
import type { CheckedFetch } from '../../contracts/tool/tool.ts'
import type { WorkspaceFiles } from '../../contracts/tool/workspace-files.ts'
import type { Warning } from '../../contracts/warning.ts'
import type { SvcError } from '../../errors.ts'
import type { Redactor } from '../../support/secrets.ts'
import type { Environment } from '../environment.ts'
import type { AgentFiles } from './agent-registry.ts'

/** What a runtime is assembled from. Everything but the plugins has a default. */
export interface RuntimeSettings {
  /** In the order in which they tap. `source` says where each was loaded from; default `built in`, which are taken for svc's own. */
  plugins: readonly { plugin: Plugin; source?: string }[]
  /** Default empty. */
  config?: SvcConfig
  /** Which file or layer each value of the config came from, by JSON pointer. */
  origin?: Record<string, string>
  /** Bounds that a config cannot loosen. */
  managed?: ManagedConfig | undefined
  /** What an untrusted folder adds to the config. */
  tightening?: Tightening | undefined
  /** Where runs live. Default: the store in `Host.stores` that `config.store.url` names, else in memory. */
  store?: Store
  /** Absolute path of the folder that tools are confined to. Default the working folder. */
  workspace?: string
  /** Reads files of that folder for runs that name some. Default none: `files` of a run is refused. */
  files?: WorkspaceFiles
  /** Reads what the `AGENTS.md` files of that folder say to agents. Default none is read. */
  notes?: NoteReader
  /** The guarded `fetch` handed to tools. Contract: asks `check` about each host. Default one that refuses. */
  fetch?: CheckedFetch
  /**
   * Whether somebody trusts that folder. Where nobody does, an answer rests on something untrusted as soon as a tool was
   * used or a context given for it. Default true.
   */
  trustsWorkspace?: boolean
  /** Takes secrets out of what models say, of what tools return, and of what these and plugins fail with. Default nothing. */
  redact?: Redactor
  /** `provider/model` used when neither run nor config names one. */
  defaultModel?: string
  /** The agent profiles of the config and its folders. */
  agents?: readonly AgentInput[]
  /** Keeps profiles that are put at run time. Default: as long as the store. */
  agentFiles?: AgentFiles
  /** Put into every result and into `health()`. */
  warnings?: readonly Warning[]
  /** Put into `health()` alone. */
  healthWarnings?: readonly Warning[]
  /** What is described and cannot be used: a run that names it fails with its error. `describe()` lists the providers. */
  unusable?: readonly UnusablePart[]
  /** Why a provider that nobody described is not there, where that is known, such as a missing key. */
  explainProvider?: (id: string) => SvcError | undefined
  /** Writes down who decided what. Default nothing is written. */
  audit?: Audit
  /** The config of the person, for answers that hold always. Default none: an answer holds for a run at most. */
  rulesFile?: RulesFile
  /** Who uses the runtime. Default `local`, from a `program`. */
  caller?: Caller
  /** Recorded calls that are asked before one is made. Default none: every call is made. */
  cassette?: Cassette
  version?: string
  /**
   * Runs are begun under it, and worked on only where it is the same: the folder of the project. Default none: this
   * process works on the runs of every space.
   */
  space?: string
  /** Milliseconds since the epoch. Default the system's clock. */
  clock?: () => number
  /**
   * Which runs this process works on: `all` that are queued or left behind, its `own` (made, resumed or adopted here), or
   * `none`, for a process that only asks. Default `all`.
   */
  claims?: 'all' | 'own' | 'none'
  /** How long a process may be silent before another takes over its runs. Default 30 000. */
  leaseMs?: number
  /** How long `close()` lets runs at work go on before it lets go of them. Default 2 000. */
  drainMs?: number
  /** Awaited by `close()` when no run is at work any more and the store is still open. Must not reject. */
  onDrained?: () => Promise<void>
  /** Deletes what runs wrote to the memory; awaited before they are removed. Default: it stays. */
  forgetRuns?: Environment['forgetRuns']
  /** Throws for a budget in tokens with which no run can work, where one plugin alone allocates. Default: any will do. */
  checkBudget?: Environment['checkBudget']
  /** How long a tap may take. Default 60 000. */
  tapTimeoutMs?: number
}
