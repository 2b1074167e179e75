import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DEFAULT_TOKEN_BUDGET, type SvcConfig, type Tightening } from '../contracts/config.ts'
import type { Warning } from '../contracts/warning.ts'
import { isForeign } from '../support/own-files.ts'
import { toPointer } from '../text/json-pointer.ts'
import { parseEnvFile } from './find/env-file.ts'
import { findProject, type Project } from './find/find-project.ts'
import {
  assertOwn,
  defaultCacheDir,
  defaultUserDir,
  type EnvironmentVariables,
  findConfigFile,
  findUnreadConfigs,
  homeOf,
  kindOf,
  MANAGED_FILE,
  SEARCH_PLACES,
  toWorkspace,
  USER_MCP_FILE,
} from './find/paths.ts'
import { warnOf } from './guidance/left-out.ts'
import type { ConfigProblem, LoadedConfig, LoadOptions, SkippedFile } from './loaded-config.ts'
import { bound, loadMandatory, readManaged } from './merge/managed.ts'
import type { Layer } from './merge/merge.ts'
import { resolvePlugins, resolveSlots } from './merge/resolve-plugins.ts'
import type { SkippedDefinition } from './merge/restrict.ts'
import { createModuleLoader, type ModuleLoader, type ModuleLoaderOptions } from './modules/load-module.ts'
import { checkConfig } from './read/check-config.ts'
import { invalid } from './read/config-error.ts'
import { findMisspelt, isOn, readEnvironment, readFileVariables, readProjectVariables } from './read/environment.ts'
import { type ReadFile, readBytes } from './read/read-data.ts'
import {
  describeNotes,
  emptyPart,
  type Part,
  type PartFiles,
  readRestricted,
  readTrusted,
} from './trust/project-part.ts'
import { readRecordedFiles } from './trust/read-recorded.ts'
import { describeSkipped } from './trust/skipped.ts'
import { checkTrust, recordTrust } from './trust/trust.ts'

const DEFAULTS: SvcConfig = { tokenBudget: DEFAULT_TOKEN_BUDGET, defaultTopology: 'SINGLE' }

/**
 * Finds, reads, checks and merges all configuration. Weakest first: defaults, the person's own folder, the
 * project, a named file, environment, flags; a managed file bounds them all.
 *
 * In an untrusted project, only JSON, YAML and code that is plain values are read, as data, and only what
 * tightens is kept: `skipped` names the rest. Nothing of a project runs before this is decided.
 *
 * @throws ConfigError `config_invalid` with file, JSON pointer and what is expected; `plugin_load_failed` for a
 *   plugin that a config names; `config_untrusted` for a file that changed while it was loaded
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const given = options.env ?? process.env
  const ofFiles = readFileVariables(given)
  const env = { ...given, ...ofFiles }
  const workspace = toWorkspace(options.cwd)
  const userDir = options.userDir ?? defaultUserDir(env)
  const managedFile = options.managedFile ?? MANAGED_FILE
  const readsFiles = options.files !== false
  const loaderOptions = {
    cacheDir: defaultCacheDir(env),
    packages: options.packages,
    modules: options.modules,
  }
  const modules = createModuleLoader(loaderOptions)

  const managed = await readManaged(managedFile)
  const mandatory = managed === undefined ? [] : await loadMandatory(managed, managedFile, modules)
  const named = readsFiles ? options.configFile || env.SVC_CONFIG || undefined : undefined
  const explicitFile = named === undefined ? undefined : toExisting(resolve(workspace, named))
  const user = readsFiles ? await readTrusted(userPlace(userDir, explicitFile, env), modules) : NOTHING
  const below: Layer[] = [{ source: 'default', config: DEFAULTS }, ...user.layers]

  const explicit = explicitFile === undefined ? NOTHING : await readTrusted({ configFile: explicitFile }, modules)
  const flags = await withModules(layersOf(options.flags), workspace, modules)
  const own = await withModules(readEnvironment(env), workspace, modules)
  const above = [...explicit.layers, ...own.layers, ...flags.layers]

  const trust = options.trust ?? isOn(env.SVC_TRUST)
  const found = readsFiles ? findOwnProject(workspace, userDir) : undefined
  const project = await readProject(
    withoutFile(found, explicitFile),
    bound([...below, ...above], managed, managedFile).config,
    {
      workspace,
      userDir,
      trust,
      ask: options.ask,
      loader: (record) => createModuleLoader({ ...loaderOptions, record }),
    },
  )

  const trustsFolder = trust || (found === undefined ? isTrusted(workspace, userDir) : project.trusted)
  const parts = [user, project, explicit, own, flags]
  const problems = parts.flatMap((part) => part.problems)
  const variables = { ...project.variables, ...ofFiles }
  const ofEnvFile = readProjectVariables(withoutSet(project.variables, env))
  const ofProject =
    found === undefined || found.folder === workspace ? project.layers : startedIn(found.folder, project.layers)
  const layers = [...below, ...ofProject, ...explicit.layers, ...ofEnvFile, ...own.layers, ...flags.layers]
  const { config, origin } = bound(layers, managed, managedFile)
  return {
    config,
    plugins: [...mandatory, ...parts.flatMap(({ plugins }) => plugins)],
    slots: Object.assign({}, ...parts.map(({ slots }) => slots)),
    ...definitions(config, origin, problems),
    skills: firstOf(project.skills, user.skills),
    commands: firstOf(project.commands, user.commands),
    ...(managed === undefined ? {} : { managed }),
    ...(project.tightening === undefined ? {} : { tightening: under(project.tightening, above) }),
    origin,
    files: [...parts.flatMap(({ files }) => files), ...(managed === undefined ? [] : [managedFile])],
    trusted: project.trusted,
    // A program that reads no files has chosen its folder itself.
    trustsFolder: !readsFiles || trustsFolder,
    ...(readsFiles && { trustedNotes: trust ? 'all' : trustsFolder ? 'recorded' : 'none' }),
    skipped: project.skipped,
    problems,
    workspace,
    ...(found?.configFile === undefined && found?.dropIns === undefined ? {} : { projectDir: found.folder }),
    variables,
    warnings: [
      ...project.warnings,
      ...warnOf(
        'skill_left_out',
        'skills',
        parts.flatMap(({ left }) => left.skills),
      ),
      ...warnOf(
        'command_left_out',
        'commands',
        parts.flatMap(({ left }) => left.commands),
      ),
      ...findMisspelt(given),
      ...(readsFiles ? findUnread([userDir, found?.folder ?? workspace], parts) : []),
    ],
  }
}

/** Sorted by name; of two with one name that of the stronger list. */
function firstOf<Named extends { name: string }>(strong: readonly Named[], weak: readonly Named[]): Named[] {
  const others = weak.filter(({ name }) => !strong.some((own) => own.name === name))
  return [...strong, ...others].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const isTrusted = (workspace: string, userDir: string): boolean =>
  checkTrust(workspace, { userDir }).state === 'trusted'

/** The programs of a project's servers start in its folder, whose files trust covers, wherever in it svc was started. */
const startedIn = (folder: string, layers: readonly Layer[]): Layer[] =>
  layers.map(({ source, config: { mcpServers, ...config } }) => {
    if (mcpServers === undefined) return { source, config }
    const servers = Object.entries(mcpServers).map(([name, server]) => [
      name,
      server.command === undefined ? server : { ...server, cwd: resolve(folder, server.cwd ?? '') },
    ])
    return { source, config: { ...config, mcpServers: Object.fromEntries(servers) } }
  })

/** What layers above the folder's name themselves, they decide. */
function under({ model, fallback, ...others }: Tightening, above: readonly Layer[]): Tightening {
  const names = (field: 'model' | 'provider' | 'fallback') => above.some(({ config }) => config[field] !== undefined)
  return {
    ...others,
    ...(model === undefined || names('model') || names('provider') ? {} : { model }),
    ...(fallback === undefined || names('fallback') ? {} : { fallback }),
  }
}

const NOTHING: Part = emptyPart()

function toExisting(file: string): string {
  if (kindOf(file) !== 'file') throw invalid(file, 'there is no such file')
  return file
}

/** Names each file that looks like a config and is not read, so that nobody waits for what it says. */
function findUnread(folders: readonly string[], parts: readonly (Part & { skipped?: SkippedFile[] })[]): Warning[] {
  const files = parts.flatMap(({ files, skipped = [] }) => [...files, ...skipped.map(({ file }) => file)])
  const places: readonly string[] = SEARCH_PLACES
  const read = new Set(files)
  return [...new Set(folders)].flatMap((folder) => {
    const first = files.find((file) => dirname(file) === folder && places.includes(basename(file)))
    return findUnreadConfigs(folder, read).map((file) => {
      const why =
        first !== undefined && places.includes(basename(file))
          ? `${basename(first)} comes before it; keep one of them`
          : `a config is called ${places.slice(0, -1).join(', ')}`
      return { code: 'config_unread', message: `${file} is not read: ${why}` }
    })
  })
}

/** A person who works in their own config folder has no project there: it is read already. */
function findOwnProject(workspace: string, userDir: string): Project | undefined {
  const project = findProject(workspace)
  return project !== undefined && kindOf(userDir) === 'folder' && isSame(project.folder, userDir) ? undefined : project
}

/** A person's own folder holds their config, drop-ins and commands; their skills lie where other programs find them too. */
function userPlace(userDir: string, explicitFile: string | undefined, env: EnvironmentVariables): PartFiles {
  const configFile = findConfigFile(assertOwn(userDir))
  const mcpFile = join(userDir, USER_MCP_FILE)
  const skills = join(homeOf(env), '.agents', 'skills')
  return {
    configFile: configFile !== undefined && isSame(configFile, explicitFile) ? undefined : configFile,
    dropIns: userDir,
    mcpFile: kindOf(mcpFile) === undefined ? undefined : mcpFile,
    commands: [{ folder: join(userDir, 'commands'), bounds: userDir }],
    skills: kindOf(skills) === 'folder' && !isForeign(skills) ? [{ folder: skills, bounds: skills }] : [],
    isPersonal: true,
  }
}

/** The project without the file that was named on its own: it is read once, and trusted. */
function withoutFile(project: Project | undefined, explicitFile: string | undefined): Project | undefined {
  if (project?.configFile === undefined || !isSame(project.configFile, explicitFile)) return project
  const { configFile: _, ...rest } = project
  return rest
}

const isSame = (file: string, other: string | undefined): boolean =>
  other !== undefined && realpathSync(file) === realpathSync(other)

interface ProjectOptions {
  workspace: string
  userDir: string
  trust: boolean
  ask: LoadOptions['ask']
  loader(record?: ModuleLoaderOptions['record']): ModuleLoader
}

type ProjectPart = Part & {
  trusted: boolean
  skipped: SkippedFile[]
  variables: Record<string, string>
  warnings: Warning[]
  tightening?: Tightening
}

async function readProject(
  project: Project | undefined,
  person: SvcConfig,
  options: ProjectOptions,
): Promise<ProjectPart> {
  if (project === undefined) return { ...NOTHING, trusted: false, skipped: [], variables: {}, warnings: [] }
  if (options.trust)
    return {
      ...(await readTrusted(project, options.loader())),
      trusted: true,
      skipped: [],
      variables: variablesOf(project),
      warnings: [],
    }
  const { state, changed, files, loadable } = checkTrust(options.workspace, { userDir: options.userDir })
  if (state === 'trusted') return readRecorded(project, loadable, options)

  const restricted = await readRestricted(project, person)
  const { skipped, tightening } = restricted
  if (skipped.length > 0 && options.ask !== undefined) {
    const runs = [...restricted.runs, ...describeNotes(project.folder)]
    const question = { folder: project.folder, state, changed, files: [...files.keys()], runs }
    if (await options.ask(question)) {
      await recordTrust(options.workspace, { userDir: options.userDir, only: files })
      return readRecorded(project, loadable, options)
    }
  }
  const message = skipped.length === 0 ? undefined : describeSkipped(skipped, project.folder, changed)
  return {
    ...NOTHING,
    layers: restricted.layers,
    files: restricted.files,
    ...(tightening === undefined ? {} : { tightening }),
    trusted: false,
    skipped,
    variables: {},
    warnings: message === undefined ? [] : [{ code: 'config_restricted', message }],
  }
}

const variablesOf = ({ envFile }: Project, readFile: ReadFile = readBytes): Record<string, string> =>
  envFile === undefined ? {} : parseEnvFile(readFile(envFile))

/** Reads a trusted project: whatever is read is compared with the recorded hash, and the bytes compared are those used. */
async function readRecorded(
  project: Project,
  loadable: ReadonlyMap<string, string>,
  options: ProjectOptions,
): Promise<ProjectPart> {
  const read = readRecordedFiles(loadable, options.workspace)
  const part = await readTrusted(project, options.loader({ folder: project.folder, read }), read)
  return { ...part, trusted: true, skipped: [], variables: variablesOf(project, read), warnings: [] }
}

/** What the environment sets goes before what a `.env` does. */
const withoutSet = (variables: Record<string, string>, env: EnvironmentVariables): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => (env[name] ?? '') === ''))

/** Layers of a person's own, with the modules that they name, from the working folder on. */
async function withModules(layers: readonly Layer[], workspace: string, modules: ModuleLoader): Promise<Part> {
  const part = { ...NOTHING, layers: [...layers] }
  for (const { source, config } of layers) {
    part.plugins = [...part.plugins, ...(await resolvePlugins(config.plugins, workspace, source, modules))]
    part.slots = { ...part.slots, ...(await resolveSlots(config.components, workspace, source, modules)) }
  }
  return part
}

const layersOf = (flags: SvcConfig = {}): Layer[] =>
  Object.keys(flags).length === 0 ? [] : [{ source: 'flags', config: checkConfig(flags, 'flags') }]

/** An id whose file cannot be used has nothing in its place, which could be looser than what the file says. */
function definitions(
  config: SvcConfig,
  origin: Record<string, string>,
  problems: readonly ConfigProblem[],
): Pick<LoadedConfig, 'providers' | 'tools' | 'agents'> {
  const sourceOf = (map: string, id: string): string => {
    const pointer = toPointer(`/${map}`, id)
    const key = Object.keys(origin).find((known) => known === pointer || known.startsWith(`${pointer}/`))
    return (key === undefined ? undefined : origin[key]) ?? 'default'
  }
  const isBroken = (kind: SkippedDefinition['kind'], id: string): boolean =>
    problems.some(({ defines }) => defines?.kind === kind && defines.id === id)
  const entries = <Value>(kind: SkippedDefinition['kind'], map: Readonly<Record<string, Value>> | undefined) =>
    Object.entries(map ?? {}).filter(([id]) => !isBroken(kind, id))
  const brokenTools = problems.flatMap(({ file, defines }) =>
    defines?.kind === 'tool' ? [{ id: defines.id, config: false as const, source: file }] : [],
  )
  return {
    providers: entries('provider', config.providers).map(([id, provider]) => ({
      id,
      config: provider,
      source: sourceOf('providers', id),
    })),
    tools: [
      ...entries('tool', config.tools).map(([id, tool]) => ({ id, config: tool, source: sourceOf('tools', id) })),
      ...brokenTools,
    ],
    agents: entries('agent', config.agents).map(([id, agent]) => ({
      id,
      profile: { name: id, ...agent, id },
      source: sourceOf('agents', id),
    })),
  }
}
