import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { ProviderConfig, type SvcConfig, type Tightening, ToolConfig } from '../../contracts/config.ts'
import { findErrors } from '../../validate.ts'
import { DATA_FILE } from '../find/data-dir.ts'
import { readEnvFile } from '../find/env-file.ts'
import { type FoundFolder, findProject, type Project } from '../find/find-project.ts'
import { CODE_ENDINGS, type DropInKind, toWorkspace } from '../find/paths.ts'
import { hashNotes } from '../guidance/agents-md.ts'
import { type LoadedCommand, listCommands, loadCommands } from '../guidance/commands.ts'
import type { LeftOut } from '../guidance/left-out.ts'
import { type LoadedSkill, listSkills, loadSkills } from '../guidance/skills.ts'
import type { ConfigProblem, SkippedFile } from '../loaded-config.ts'
import type { Layer } from '../merge/merge.ts'
import { type LoadedPlugin, type LoadedSlots, resolvePlugins, resolveSlots } from '../merge/resolve-plugins.ts'
import { DROP_IN_DEFINES, restrict } from '../merge/restrict.ts'
import type { ModuleLoader } from '../modules/load-module.ts'
import type { DropIns } from '../read/drop-ins.ts'
import { listDropIns, loadDropIns } from '../read/drop-ins.ts'
import { readMcpFile } from '../read/mcp-file.ts'
import { readConfig, readPlainConfig } from '../read/read-config.ts'
import { parseData, type ReadFile, readBytes, toText } from '../read/read-data.ts'
import { shown } from '../read/shown.ts'
import { describeProvider, describeRuns, describeTool, hostOf } from './describe-runs.ts'

/** What one source (the person's folder, the project, a named file) contributes. */
export interface Part {
  layers: Layer[]
  plugins: LoadedPlugin[]
  slots: LoadedSlots
  problems: ConfigProblem[]
  files: string[]
  skills: LoadedSkill[]
  commands: LoadedCommand[]
  /** Skills and commands that cannot be used. */
  left: { skills: LeftOut[]; commands: LeftOut[] }
}

/** A part that says nothing. */
export const emptyPart = (): Part => ({
  layers: [],
  plugins: [],
  slots: {},
  problems: [],
  files: [],
  skills: [],
  commands: [],
  left: { skills: [], commands: [] },
})

/** Where a part is read from. */
export interface PartFiles {
  skills?: readonly FoundFolder[]
  commands?: readonly FoundFolder[]
  /** True for the person's own. */
  isPersonal?: boolean
  configFile?: string | undefined
  /** The folder that holds `providers/`, `tools/`, `agents/` and `plugins/`. */
  dropIns?: string | undefined
  /** A file of MCP servers, weaker than the config. */
  mcpFile?: string | undefined
}

/**
 * Reads a trusted place, code and all.
 *
 * @param readFile what it reads through; throws for a file that may not be read
 * @throws ConfigError when the config cannot be used; drop-ins that cannot be used are problems
 */
export async function readTrusted(
  place: PartFiles,
  modules: ModuleLoader,
  readFile: ReadFile = readBytes,
): Promise<Part> {
  const part = emptyPart()
  let extra: LoadedPlugin[] = []
  if (place.mcpFile !== undefined) {
    const { servers, problems } = await readMcpFile(place.mcpFile, readFile)
    part.layers.push({ source: place.mcpFile, config: { mcpServers: servers } })
    part.problems.push(...problems)
    part.files.push(place.mcpFile)
  }
  if (place.dropIns !== undefined) {
    const { files, problems } = listDropIns(place.dropIns)
    const found = await loadDropIns(files, modules, readFile)
    part.layers.push(...toLayers(found))
    part.problems.push(...problems, ...found.problems)
    part.files.push(...files.map(({ file }) => file))
    extra = found.plugins
  }
  if (place.configFile !== undefined) {
    for (const layer of await readConfig(place.configFile, modules, readFile)) {
      const { plugins, components } = layer.config
      part.layers.push(layer)
      part.files.push(layer.source)
      part.plugins.push(...(await resolvePlugins(plugins, dirname(layer.source), layer.source, modules)))
      Object.assign(part.slots, await resolveSlots(components, dirname(layer.source), layer.source, modules))
    }
  }
  part.plugins.push(...extra)
  const { skills, left } = await loadSkills(place.skills ?? [], place.isPersonal === true, readFile)
  const found = await loadCommands(place.commands ?? [], readFile)
  return { ...part, skills, commands: found.commands, left: { skills: left, commands: found.left } }
}

function toLayers({ providers, tools, agents }: DropIns): Layer[] {
  return [
    ...providers.map(({ id, config, source }) => ({ source, config: { providers: { [id]: config } } })),
    ...tools.map(({ id, config, source }) => ({ source, config: { tools: { [id]: config } } })),
    ...agents.map(({ id, profile, source }) => ({ source, config: { agents: { [id]: profile } } })),
  ]
}

/** What an untrusted folder contributes, and what was left out. */
export interface RestrictedPart {
  layers: Layer[]
  tightening?: Tightening
  skipped: SkippedFile[]
  /** What would run, one line for each. */
  runs: string[]
  files: string[]
}

/**
 * Reads an untrusted project: JSON, YAML and code that is plain values as data, of which only what tightens is
 * kept. No code is loaded, nothing that a file names is followed, no search engine is started.
 *
 * @param person what all layers of the person say together
 * @throws ConfigError `config_invalid` when the data cannot be used
 */
export async function readRestricted(project: Project, person: SvcConfig): Promise<RestrictedPart> {
  const part: RestrictedPart = { layers: [], skipped: [], runs: [], files: [] }
  const { folder, configFile, dropIns, envFile, mcpFile } = project
  if (configFile !== undefined) await readRestrictedConfig(configFile, folder, person, part)
  for (const { kind, id, file } of dropIns === undefined ? [] : listDropIns(dropIns).files) {
    const defines = [{ kind: DROP_IN_DEFINES[kind], id }]
    part.skipped.push({ file, reason: `the ${DROP_IN_DEFINES[kind]} "${id}" was left out`, settings: [], defines })
    part.runs.push(await describeDropIn(kind, id, file, shown(join('.svc', kind, basename(file)))))
  }
  const data = dropIns === undefined ? undefined : join(dropIns, 'data', DATA_FILE)
  if (data !== undefined && existsSync(data)) {
    part.skipped.push({ file: data, reason: 'what it remembers was left out', settings: [], defines: [] })
    part.runs.push('runs and memories in .svc/data, where svc itself wrote them')
  }
  if (mcpFile !== undefined) await describeMcpFile(mcpFile, folder, part)
  for (const file of listSkills(project.skills ?? [])) {
    const name = shown(basename(dirname(file)))
    part.skipped.push({ file, reason: `the skill "${name}" was left out`, settings: [], defines: [] })
    part.runs.push(`skill ${name}, which agents may read and follow`)
  }
  for (const file of listCommands(project.commands ?? [])) {
    const id = basename(file, '.md')
    const defines = [{ kind: 'command' as const, id }]
    part.skipped.push({ file, reason: `the command "/${shown(id)}" was left out`, settings: [], defines })
    part.runs.push(`command /${shown(id)}`)
  }
  if (envFile !== undefined) {
    const settings = Object.keys(readEnvFile(envFile))
    part.skipped.push({ file: envFile, reason: 'its variables were left out', settings, defines: [] })
    part.runs.push(`variables of .env: ${describeVariables(readEnvFile(envFile))}`)
  }
  return part
}

/**
 * What trust in a workspace's project allows, one safe line for each. Nothing is run.
 *
 * @throws ConfigError `config_invalid` when its data cannot be used
 */
export async function listRuns(workspace: string): Promise<string[]> {
  const project = findProject(toWorkspace(workspace))
  const runs = project === undefined ? [] : (await readRestricted(project, {})).runs
  return [...runs, ...describeNotes(project?.folder ?? toWorkspace(workspace))]
}

async function describeMcpFile(file: string, folder: string, part: RestrictedPart): Promise<void> {
  if (isLinkOut(file, folder, 'servers', part)) return
  const { servers, problems } = await readMcpFile(file)
  const names = [...Object.keys(servers), ...problems.flatMap(({ defines }) => defines?.id ?? [])]
  const defines = names.map((id) => ({ kind: 'server' as const, id }))
  part.skipped.push({
    file,
    reason: 'its servers were left out',
    settings: names.map((name) => `mcpServers.${name}`),
    defines,
  })
  part.runs.push(...describeRuns({ mcpServers: servers }), ...problems.map(({ error }) => shown(error.message)))
}

/** The `AGENTS.md` files that trust in a folder makes instructions, one line for each. */
export const describeNotes = (folder: string): string[] =>
  Object.keys(hashNotes(folder)).map((file) => `instructions in ${shown(relative(folder, file))}`)

/** A drop-in that is data is shown as what it says; of code, nobody can say what it does. */
async function describeDropIn(kind: DropInKind, id: string, file: string, name: string): Promise<string> {
  if (CODE_ENDINGS.includes(extname(file))) return `code in ${name}`
  try {
    if (kind === 'agents') return `agent ${id}`
    const value = await parseData(toText(readBytes(file), file), file)
    if (kind === 'tools' && isValid(ToolConfig, value)) return describeTool(id, value as ToolConfig)
    if (kind === 'providers' && isValid(ProviderConfig, value)) return describeProvider(id, value as ProviderConfig)
  } catch {
    // it cannot be used, and is named all the same
  }
  return `${DROP_IN_DEFINES[kind]} ${id} in ${name}, which cannot be read`
}

const isValid = (schema: object, value: unknown): boolean => findErrors(schema, value).length === 0

/** Names of variables; of those that are addresses, where they lead. */
const describeVariables = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => (/_URL$|_HOST$/.test(name) ? `${shown(name)} (${hostOf(value)})` : shown(name)))
    .join(', ')

/** Names a link that leads out of its folder, which is not followed. */
function isLinkOut(file: string, folder: string, what: string, part: RestrictedPart): boolean {
  const target = existsSync(file) ? realpathSync(file) : file
  if (target === file || target.startsWith(`${realpathSync(folder)}${sep}`)) return false
  part.skipped.push({ file, reason: 'it is a link that leads out of the folder', settings: [], defines: [] })
  part.runs.push(`${what} in ${shown(relative(folder, file))}, a link to ${shown(target)}`)
  return true
}

async function readRestrictedConfig(
  file: string,
  folder: string,
  person: SvcConfig,
  part: RestrictedPart,
): Promise<void> {
  const name = shown(relative(folder, file))
  if (isLinkOut(file, folder, 'settings', part)) return
  const plain = await readPlainConfig(file)
  if (plain === undefined) {
    part.skipped.push({ file, reason: 'it is code', settings: [], defines: [] })
    part.runs.push(`code in ${name}`)
    return
  }
  const { config, imports } = plain
  const { config: kept, tightening, left, defines } = restrict(config, person)
  if (imports.length > 0) left.push('$import')
  part.layers.push({ source: file, config: kept })
  if (Object.keys(tightening).length > 0) part.tightening = { source: file, ...tightening }
  part.files.push(file)
  if (left.length === 0) return
  part.skipped.push({ file, reason: `these settings were left out: ${left.join(', ')}`, settings: left, defines })
  part.runs.push(`settings of ${name}: ${shown(left.join(', '))}`)
  part.runs.push(...imports.map((path) => `settings of ${shown(path)}`), ...describeRuns(config))
}
