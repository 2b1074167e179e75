import {
  type Audit,
  createRedactor,
  type EmbeddedRuntime,
  InspectorAgent,
  type LoadedConfig,
  type LoadedPlugin,
  type NoteReader,
  type Plugin,
  type Redactor,
  type RunLock,
  type RuntimeSettings,
  SLOTS,
  type Slot,
  type Store,
  type SvcConfig,
  secretsOfConfig,
  secretsOfVariables,
  startRuntime,
  ThreeLayerMemory,
  TokenBudgetAllocator,
  type UnusablePart,
  type Warning,
} from '@svc/core'
import { createMemoryBackend, ownedSpace, RunMemories } from '@svc/core/components'
import { createNoteReader, defaultUserDir, describeProblem, isModulePath, isTrustedNote } from '@svc/core/config'
import { PerName } from '@svc/core/support'
import { openAuditLog } from '../audit/audit-log.ts'
import { localCaller } from '../audit/local-caller.ts'
import { allocate } from '../defaults/allocate.ts'
import { analyze } from '../defaults/analyze.ts'
import { consensus } from '../defaults/consensus.ts'
import { inspect } from '../defaults/inspect.ts'
import { createLearning, type Learning } from '../defaults/memory/learning.ts'
import { type LessonStore, StoredLessons } from '../defaults/memory/lessons.ts'
import { memory as memoryPlugin } from '../defaults/memory/memory.ts'
import { orchestrate } from '../defaults/orchestrate.ts'
import { reflect } from '../defaults/reflect.ts'
import { McpPool } from '../mcp/tools/pool.ts'
import { chooseAuditDir, spaceOf } from '../stores/data-place.ts'
import { createExporter } from '../telemetry/create-exporter.ts'
import type { EditorFiles } from '../tools/files/editor/editor-files.ts'
import { createWorkspaceFiles } from '../tools/files/workspace-files.ts'
import { createGuardedFetch } from '../tools/index.ts'
import { fitSkills } from '../tools/skill.ts'
import { chooseModels } from './folder-models.ts'
import { findKeyFiles, type KeptPlaces } from './guarded-files.ts'
import { MemoryEmbedder } from './memory-embedder.ts'
import { assembleProviders } from './provider-plugin.ts'
import { createRecordStore, type RecordStore } from './record-store.ts'
import { redactFiles } from './redact-files.ts'
import { createRunStore, placeOfUrl, storesPlugin } from './run-store.ts'
import { builtIn, fillSlots, markMandatory } from './slots.ts'
import { assembleTools } from './tool-plugin.ts'
import { createServerCheck } from './trusted-programs.ts'
import { platformWarnings } from './unusable-parts.ts'

/** What `createRuntime` takes beside the config. Everything has a default. */
export interface CreateRuntimeOptions
  extends Pick<
    RuntimeSettings,
    | 'store'
    | 'workspace'
    | 'agentFiles'
    | 'audit'
    | 'caller'
    | 'cassette'
    | 'clock'
    | 'claims'
    | 'leaseMs'
    | 'drainMs'
    | 'tapTimeoutMs'
    | 'rulesFile'
  > {
  /** Variables that name providers and hold their keys. Default the process's. */
  env?: Readonly<Record<string, string | undefined>>
  /** Keys of model providers, by provider; they win over the environment. */
  apiKeys?: Readonly<Record<string, string>>
  /** Plugins beside those of the config; they tap after them and before the defaults. */
  plugins?: readonly Plugin[]
  /** Names of built-in plugins, or of `plugins`, that no config may leave out or replace, beside those of the managed file. */
  mandatory?: readonly string[]
  /** Shared with others; default a new one. */
  memory?: ThreeLayerMemory
  /**
   * Whether runs and what is remembered outlive the process, in `svc.db` of the data folder or of the folder given.
   * Default: where `store.dir` or `SVC_DATA_DIR` is set; memories also where the project has a folder `.svc/data`.
   */
  persist?: boolean | { dir: string }
  /** Shared with others; default a new one. */
  inspector?: InspectorAgent
  /** Reaches model providers. Default the global one. */
  fetch?: typeof fetch
  warnings?: readonly Warning[]
  /** That `read_file`, `edit_file` and `write_file` use, so that they see what is not saved. Default the disk. */
  editor?: EditorFiles
  /** What a recorded run was made with: its providers and tools are stood in for, and none of them can be called. */
  lock?: RunLock
}

/** What the seven default plugins share with the runtime around them. */
export interface DefaultPluginOptions {
  memory?: ThreeLayerMemory | ((owner: string) => ThreeLayerMemory)
  inspector?: InspectorAgent
  persistSessions?: boolean
  /** What runs leave for later ones to learn from. Default: lessons are in the store of the runs, outcomes are not kept. */
  learning?: { outcomes?: Learning['outcomes']; lessons?: LessonStore | ((owner: string) => LessonStore) }
  /** Whether nothing is to be checked, what the steps of a team say included. */
  withoutReflection?: boolean
  /** What the memory does without at present; runs that use it are warned. */
  memoryWarnings?: () => readonly Warning[]
}

/** The seven default plugins by their slot. */
export function defaultPlugins(options: DefaultPluginOptions = {}): Record<Slot, Plugin> {
  const { memory, inspector = new InspectorAgent(), persistSessions = true } = options
  const { outcomes, lessons } = options.learning ?? {}
  return {
    analyze: analyze(outcomes === undefined ? {} : { outcomes }),
    allocate: allocate(),
    orchestrate: orchestrate(options.withoutReflection === true ? { reviewer: false } : {}),
    memory: memoryPlugin({
      persistSessions,
      ...(memory === undefined ? {} : { memory }),
      ...(lessons === undefined ? {} : { lessons }),
      ...(options.memoryWarnings === undefined ? {} : { warnings: options.memoryWarnings }),
    }),
    reflect: reflect(),
    consensus: consensus(),
    inspect: inspect({ inspector }),
  }
}

/** A runtime of a config, which can be replaced by another one. */
export interface ConfiguredRuntime extends EmbeddedRuntime {
  /**
   * Goes on under another config: runs that begin from now on use it, runs at work end under the one that they began with.
   * Where runs are kept, the memory with its `memory.limits` and `memory.embedder`, and `telemetry` stay as they are.
   *
   * @throws as `createRuntime`; then nothing has changed
   */
  reload(config: LoadedConfig | SvcConfig): Promise<void>
  /** Providers, tools and agents of the config in force that cannot be used. A run that names one fails with its error. */
  readonly unusable: readonly UnusablePart[]
}

/**
 * Assembles a runtime: providers and tools of config and environment, the config's plugins, then the seven defaults
 * with whatever the config put into their slots.
 *
 * @param config what `loadConfig` found, or a config by hand, or nothing for the defaults
 * @throws ConfigError `no_provider`, `unknown_provider`, `config_invalid`; PluginError `plugin_duplicate`
 */
export async function createRuntime(
  config: LoadedConfig | SvcConfig = {},
  options: CreateRuntimeOptions = {},
): Promise<ConfiguredRuntime> {
  const loaded = isLoaded(config) ? config : fromConfig(config)
  const env = environmentOf(loaded, options)
  const { persist, clock } = options
  const space = spaceOfRuns(loaded, options)
  const runStore = options.store ?? createRunStore({ loaded, persist, env, clock, space })
  const kept = keepMemory(loaded, options, runStore)
  const exporter = createExporter(loaded.config.telemetry ?? {}, env, redactorOf(loaded, options))
  let settings = toSettings(loaded, options, kept)
  const runtime = await startRuntime({
    ...settings,
    ...(runStore && { store: runStore }),
    caller: options.caller ?? localCaller('program'),
    ...auditOf(loaded, options),
    onDrained: async () => {
      await exporter?.close()
      // How often memories were found keeps no runtime from closing.
      for (const memory of kept.memories.made) await memory.flush().catch(() => {})
      await kept.mcp.close()
    },
  })
  exporter?.connect(runtime)
  const warning = await kept.records.warning()
  if (warning !== undefined) kept.warnings.push(warning)
  return {
    ...runtime,
    get unusable() {
      return settings.unusable
    },
    async reload(next) {
      // What a runtime could do it does not lose by a reload.
      const replacing = isLoaded(next) ? next : fromConfig(next)
      const made = toSettings(replacing, options, kept, isDefaultUsable(settings))
      await runtime.reload(made)
      kept.mcp.keepOnly(replacing.config.mcpServers)
      settings = made
    },
    async close() {
      await runtime.close()
      await kept.records.close()
    },
  }
}

/** The log in the data folder, where runs are kept and the program has none of its own. */
function auditOf(loaded: LoadedConfig, options: CreateRuntimeOptions): { audit?: Audit } {
  if (options.audit !== undefined) return { audit: options.audit }
  const dir = chooseAuditDir(options.persist, loaded, environmentOf(loaded, options))
  return dir === undefined ? {} : { audit: openAuditLog(dir) }
}

/** Where this runtime keeps what no tool may write. */
function keptPlaces(loaded: LoadedConfig, options: CreateRuntimeOptions): KeptPlaces {
  const env = environmentOf(loaded, options)
  const { persist } = options
  const { url = '' } = loaded.config.store ?? {}
  return {
    dirs: typeof persist === 'object' ? [persist.dir] : [],
    files: /^sqlite:./.test(url) ? [placeOfUrl(url, loaded, env).file] : [],
    audit: chooseAuditDir(persist, loaded, env),
  }
}

/** What outlives a change of the config. */
interface SharedParts {
  memories: PerName<ThreeLayerMemory>
  learning: NonNullable<DefaultPluginOptions['learning']>
  inspector: InspectorAgent
  embedder: MemoryEmbedder | undefined
  records: RecordStore
  /** What runs wrote there. */
  written: RunMemories
  /** What was found wrong with what is remembered; one run gets each. */
  warnings: Warning[]
  mcp: McpPool
}

function keepMemory(loaded: LoadedConfig, options: CreateRuntimeOptions, runStore: Store | undefined): SharedParts {
  const { persist, clock, inspector = new InspectorAgent() } = options
  const records = createRecordStore({ loaded, persist, env: environmentOf(loaded, options) }, runStore)
  const { memory: { embedder: embedderName, limits } = {}, store: { retainDays } = {} } = loaded.config
  const embedder = embedderName === undefined ? undefined : new MemoryEmbedder(embedderName, clock)
  const warnings: Warning[] = []
  const onDamage = (count: number): void => {
    const what = count === 1 ? 'record was' : 'records were'
    warnings.push({ code: 'memory_damaged', message: `${count} damaged ${what} left out of the memory` })
  }
  const space = spaceOf(loaded)
  const memories = new PerName((owner) => {
    if (owner === '' && options.memory !== undefined) return options.memory
    return new ThreeLayerMemory({
      backend: createMemoryBackend(records, { space, owner, retainDays, onDamage, isOfRuns: records.isOfRuns }),
      ...(limits && { limits }),
      ...(embedder && { embed: embedder.embed }),
    })
  })
  const { outcomes } = createLearning(records, space, undefined, records.isOfRuns)
  const lessons = (owner: string): LessonStore =>
    new StoredLessons(records, ownedSpace(owner, space), undefined, records.isOfRuns)
  const written = new RunMemories(records, space)
  const mcp = createMcpPool(loaded, options)
  return { memories, learning: { outcomes, lessons }, inspector, embedder, records, written, warnings, mcp }
}

/** The servers that the config names, which work in the folder of the runs. */
function createMcpPool(loaded: LoadedConfig, options: CreateRuntimeOptions): McpPool {
  const env = environmentOf(loaded, options)
  const { trustsFolder: trustsWorkspace } = loaded
  return new McpPool({ workspace: rootOf(loaded, options), trustsWorkspace, env }, defaultUserDir(env))
}

/** The folder that tools are confined to. */
const rootOf = ({ config, workspace }: LoadedConfig, options: CreateRuntimeOptions): string =>
  config.policy?.root ?? options.workspace ?? workspace

type Environment = Readonly<Record<string, string | undefined>>
type Settings = RuntimeSettings & Required<Pick<RuntimeSettings, 'unusable' | 'defaultModel'>>

const isDefaultUsable = ({ unusable, defaultModel }: Settings): boolean =>
  !unusable.some(({ kind, id }) => kind === 'provider' && id === defaultModel.split('/')[0])

/** Of the folder that the runs belong to, as their store has it too. */
const spaceOfRuns = (loaded: LoadedConfig, { workspace = loaded.workspace }: CreateRuntimeOptions): string =>
  spaceOf({ ...loaded, workspace })

/**
 * What the runtime is made of under one config.
 *
 * @param isStrict whether the default model's provider has to work
 */
function toSettings(
  loaded: LoadedConfig,
  options: CreateRuntimeOptions,
  kept: SharedParts,
  isStrict = false,
): Settings {
  const env = environmentOf(loaded, options)
  const { embedder, records, written, warnings, memories, mcp, ...defaults } = kept
  const mandatory = [
    ...(loaded.managed?.mandatory ?? []).filter((entry) => !isModulePath(entry)),
    ...(options.mandatory ?? []),
  ]
  const sources = { env, apiKeys: options.apiKeys ?? {}, fetch: options.fetch, isStrict }
  const providers = assembleProviders(loaded, sources, (registry, failures) => embedder?.connect(registry, failures))
  const chosen = chooseModels(loaded, providers.defaultModel)
  const root = rootOf(loaded, options)
  const space = spaceOfRuns(loaded, options)
  const plugins = markMandatory(
    [
      ...loaded.plugins,
      ...(options.plugins ?? []).map((plugin) => asGiven(plugin, plugin.source)),
      builtIn(providers.plugin),
      builtIn(assembleTools(loaded, root, env, keptPlaces(loaded, options), options.editor, options.lock)),
      // What a recorded run was offered stands among its tools.
      ...(options.lock === undefined
        ? mcp.plugin(loaded.config.mcpServers, createServerCheck(loaded, root, env)).map(builtIn)
        : []),
      builtIn(storesPlugin(loaded, env, space, (host) => records.connect(host))),
      ...fillSlots(
        defaultPlugins({
          ...defaults,
          memory: memories.of,
          // Where nothing is to be remembered, what is learned ends with the process.
          ...(loaded.slots.memory === false && { learning: createLearning() }),
          withoutReflection: loaded.slots.reflect === false,
          persistSessions: loaded.config.persistSessions ?? true,
          memoryWarnings: () => [...(embedder?.warnings() ?? []), ...warnings.splice(0)],
        }),
        loaded,
        mandatory,
      ),
    ],
    mandatory,
  )
  return {
    ...pickSettings(options),
    plugins,
    config: asNamed({ ...loaded.config, ...chosen.config }, chosen.defaultModel),
    origin: loaded.origin,
    managed: loaded.managed,
    tightening: loaded.tightening,
    workspace: root,
    files: createWorkspaceFiles(root),
    ...notesOf(loaded, root, env),
    trustsWorkspace: loaded.trustsFolder,
    space,
    forgetRuns: (runs) => written.delete(runs),
    ...(loaded.slots.allocate === undefined && { checkBudget: assertWorkable }),
    redact: redactorOf(loaded, options),
    fetch: createGuardedFetch(),
    defaultModel: chosen.defaultModel,
    agents: loaded.agents.map(({ id, profile }) => ({ ...profile, id })),
    warnings: options.lock?.warnings ?? [
      ...loaded.warnings,
      ...loaded.problems.map((problem) => ({ code: problem.error.code, message: describeProblem(problem) })),
      ...(options.warnings ?? []),
      ...skillWarnings(loaded),
      ...providers.warnings,
      ...chosen.warnings,
    ],
    healthWarnings: [...providers.healthWarnings, ...platformWarnings()],
    unusable: providers.unusable,
    explainProvider: providers.explain,
  }
}

/** Reads the `AGENTS.md` files of a folder whose config was read from files. */
function notesOf({ trustedNotes, workspace }: LoadedConfig, root: string, env: Environment): { notes?: NoteReader } {
  if (trustedNotes === undefined) return {}
  const userDir = defaultUserDir(env)
  const isTrusted = (file: string, hash: string): boolean =>
    trustedNotes === 'all' || (trustedNotes === 'recorded' && isTrustedNote(workspace, { file, hash }, { userDir }))
  const why =
    trustedNotes === 'none'
      ? 'since this folder is not trusted'
      : 'since it changed, or came, after this folder was trusted'
  return {
    notes: createNoteReader(root, isTrusted, `is read as material, ${why}; "svc trust" makes it an instruction`),
  }
}

/** Skills that agents are not told of. */
function skillWarnings({ skills }: LoadedConfig): Warning[] {
  const { left } = fitSkills(skills)
  if (left.length === 0) return []
  const names = left.map(({ name }) => name).join(', ')
  const message = `${left.length} skills left out: the names and descriptions of all are too long to send: ${names}`
  return [{ code: 'skill_left_out', message }]
}

/** @throws UsageError `budget_too_small` for a budget with which no agent can work, however it is split */
const assertWorkable = (total: number): void => {
  new TokenBudgetAllocator().allocate('SINGLE', 0, 1, { total })
}

/** The environment, which goes before what the project's `.env` sets. */
const environmentOf = ({ variables }: LoadedConfig, { env = process.env }: CreateRuntimeOptions): Environment =>
  Object.keys(variables).length === 0 ? env : { ...variables, ...env }

/** Takes out what variables, config and keys given by hand hold. */
function redactorOf(loaded: LoadedConfig, options: CreateRuntimeOptions): Redactor {
  const env = environmentOf(loaded, options)
  const keys = Object.values(options.apiKeys ?? {})
  const known = createRedactor([...keys, ...secretsOfVariables(env), ...secretsOfConfig(loaded.config, env)])
  return redactFiles(known, findKeyFiles(loaded, env))
}

/** A config whose model is named in full, so that nobody below has to guess whose it is. */
const asNamed = (config: SvcConfig, model: string): SvcConfig =>
  config.model === undefined ? config : { ...config, model }

const isLoaded = (config: LoadedConfig | SvcConfig): config is LoadedConfig => 'slots' in config && 'origin' in config

/** Where what a program hands over comes from. */
const GIVEN = 'given to createRuntime'

const asGiven = (plugin: Plugin, source = GIVEN): LoadedPlugin => ({ plugin, source, authority: 'program' })

/** A config by hand, whose plugins and slots are plugins already. */
function fromConfig(config: SvcConfig): LoadedConfig {
  return {
    config,
    plugins: (config.plugins ?? []).map((entry) => asGiven(entry as Plugin)),
    slots: Object.fromEntries(
      SLOTS.flatMap((slot) => {
        const chosen = config.components?.[slot]
        if (chosen === undefined) return []
        return [[slot, chosen === false ? false : asGiven(chosen as Plugin)]]
      }),
    ),
    providers: Object.entries(config.providers ?? {}).map(([id, described]) => ({
      id,
      config: described,
      source: GIVEN,
    })),
    tools: Object.entries(config.tools ?? {}).map(([id, tool]) => ({ id, config: tool, source: GIVEN })),
    agents: Object.entries(config.agents ?? {}).map(([id, profile]) => ({
      id,
      profile: { name: id, ...profile },
      source: GIVEN,
    })),
    skills: [],
    commands: [],
    origin: {},
    files: [],
    trusted: true,
    trustsFolder: true,
    skipped: [],
    problems: [],
    workspace: process.cwd(),
    variables: {},
    warnings: [],
  }
}

function pickSettings(options: CreateRuntimeOptions): Partial<RuntimeSettings> {
  const { agentFiles, cassette, clock, claims, leaseMs, drainMs, tapTimeoutMs, rulesFile } = options
  return Object.fromEntries(
    Object.entries({ agentFiles, cassette, clock, claims, leaseMs, drainMs, tapTimeoutMs, rulesFile }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}
