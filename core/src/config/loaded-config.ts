import type { ManagedConfig, ProviderConfig, SvcConfig, Tightening, ToolConfig } from '../contracts/config.ts'
import type { AgentInput } from '../contracts/plugin/agent-profile.ts'
import type { Warning } from '../contracts/warning.ts'
import type { SvcError } from '../errors.ts'
import type { LoadedCommand } from './guidance/commands.ts'
import type { LoadedSkill } from './guidance/skills.ts'
import type { LoadedPlugin, LoadedSlots } from './merge/resolve-plugins.ts'
import type { Definition, SkippedDefinition } from './merge/restrict.ts'
import type { LoadedModules } from './modules/load-module.ts'

/** A file of which something was left out. */
export interface SkippedFile {
  file: string
  /** What was left out and why, without the file's name. */
  reason: string
  /** Settings that were left out; empty where the whole file was. */
  settings: string[]
  /** What the file would have defined, as far as svc knows without running it. */
  defines: SkippedDefinition[]
}

/** A drop-in that could not be used. */
export interface ConfigProblem {
  file: string
  error: SvcError
  /** What it would have defined, where its name says so: nothing else takes that id. */
  defines?: Definition
}

/** The configuration of files, environment and flags, merged. */
export interface LoadedConfig {
  /** All layers and drop-ins merged, checked, within the managed bounds. */
  config: SvcConfig
  /** The plugins of the managed file, of `config.plugins` and of `.svc/plugins`, the person's own first, in the order of their taps. */
  plugins: LoadedPlugin[]
  /** The plugins in the slots of the defaults. */
  slots: LoadedSlots
  providers: { id: string; config: ProviderConfig; source: string }[]
  tools: { id: string; config: ToolConfig | false; source: string }[]
  agents: { id: string; profile: AgentInput; source: string }[]
  /** Skills of the project, where it is trusted, and the person's own; sorted by name. */
  skills: LoadedSkill[]
  /** Commands of the project, where it is trusted, and the person's own; sorted by name. */
  commands: LoadedCommand[]
  /** The managed bounds of this machine, already applied to `config`. */
  managed?: ManagedConfig
  /** What an untrusted config of the folder adds; beside `config`, since it holds only as far as it tightens. */
  tightening?: Tightening
  /** Where each value came from: JSON pointer to path or layer. */
  origin: Record<string, string>
  /** Every config and drop-in that was read, with absolute paths. */
  files: string[]
  /** Whether a person trusts the project's folder, by a record or for this once. Having nothing to leave out is no trust. */
  trusted: boolean
  /** Whether a person trusts the folder, or does for this once: what is read there is then no content from outside. */
  trustsFolder: boolean
  /**
   * Which `AGENTS.md` files are instructions: none, those that are as they were when a person trusted the folder, or all. Absent
   * where no file is read.
   */
  trustedNotes?: 'none' | 'recorded' | 'all'
  /** What was left out because it is untrusted. */
  skipped: SkippedFile[]
  /** Drop-ins that could not be used. */
  problems: ConfigProblem[]
  /** The folder that runs work in, without symbolic links. */
  workspace: string
  /** The folder of the project's config and `.svc/`, where there is one. */
  projectDir?: string
  /** What the project's `.env` sets; what the environment sets goes before it. */
  variables: Readonly<Record<string, string>>
  warnings: Warning[]
}

/** What a person is asked before a folder's code runs for the first time, or after a change. */
export interface TrustQuestion {
  folder: string
  state: 'unknown' | 'changed'
  /** Files that changed or were added since the folder was trusted. */
  changed: string[]
  /** Everything that trust would cover. */
  files: string[]
  /** What would run or be used, one line for each, safe to print. */
  runs: string[]
}

/** How a config is loaded. */
export interface LoadOptions {
  /** The folder to work in; default the process's. */
  cwd?: string | undefined
  /** One more file, stronger than the project's. A file that is named here is trusted. Default `SVC_CONFIG`. Relative to `cwd`. */
  configFile?: string | undefined
  /** Default the process's. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** The strongest layer. */
  flags?: SvcConfig | undefined
  /** True: the folder is trusted for this once. Default `SVC_TRUST`. */
  trust?: boolean | undefined
  /** Default `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
  userDir?: string | undefined
  /** Default `/etc/svc/svc.config.json`. */
  managedFile?: string | undefined
  /** Asks a person whether to trust the folder; a yes is recorded. Default: nobody is asked. */
  ask?: ((question: TrustQuestion) => Promise<boolean>) | undefined
  /** False: no file of the person's or the project's is read; the managed one still applies. Default true. */
  files?: boolean | undefined
  /** Packages of svc that the caller has, so that config code gets the same copies. */
  packages?: Readonly<Record<string, () => Promise<unknown>>> | undefined
  /** Modules that were loaded already; what is loaded is added. Default those of this process. */
  modules?: LoadedModules | undefined
}
