import { readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { ProviderConfig, ToolConfig } from '../../contracts/config.ts'
import { mustFit, SLUG, TOOL_SLUG } from '../../contracts/ids.ts'
import { AgentInput } from '../../contracts/plugin/agent-profile.ts'
import type { FieldError, SvcError } from '../../errors.ts'
import { toSvcError } from '../../errors.ts'
import { findErrors } from '../../validate.ts'
import { CODE_ENDINGS, codeOf, DATA_ENDINGS, DROP_IN_KINDS, type DropInKind, kindOf } from '../find/paths.ts'
import type { ConfigProblem } from '../loaded-config.ts'
import { type LoadedPlugin, toPlugin } from '../merge/resolve-plugins.ts'
import { DROP_IN_DEFINES } from '../merge/restrict.ts'
import type { ModuleLoader } from '../modules/load-module.ts'
import { parseAgentFile } from './agent-file.ts'
import { checkAgent, checkTool, throwIfAny } from './check-config.ts'
import { invalid } from './config-error.ts'
import { findUnknown } from './find-unknown.ts'
import { isRecord, parseData, type ReadFile, toText } from './read-data.ts'

const ENDINGS: Readonly<Record<DropInKind, readonly string[]>> = {
  providers: [...DATA_ENDINGS, ...CODE_ENDINGS],
  tools: [...DATA_ENDINGS, ...CODE_ENDINGS],
  agents: ['.md', ...DATA_ENDINGS, ...CODE_ENDINGS],
  plugins: CODE_ENDINGS,
}

/** A file that defines one thing; the file's name is its id. */
export interface DropInFile {
  kind: DropInKind
  id: string
  file: string
}

/** What the drop-ins of one folder define. */
export interface DropIns {
  providers: { id: string; config: ProviderConfig; source: string }[]
  tools: { id: string; config: ToolConfig; source: string }[]
  agents: { id: string; profile: AgentInput; source: string }[]
  plugins: LoadedPlugin[]
  /** Files that could not be used; the others were. */
  problems: ConfigProblem[]
}

/**
 * Lists the drop-ins of a folder in the order of their names. Names that start with `.` or `_`, type declarations and
 * readmes are ignored, so drop-ins may share code in such files.
 */
export function listDropIns(folder: string): { files: DropInFile[]; problems: DropIns['problems'] } {
  const files: DropInFile[] = []
  const problems: DropIns['problems'] = []
  for (const kind of DROP_IN_KINDS) {
    const seen = new Map<string, string>()
    for (const name of namesIn(join(folder, kind), problems)) {
      const file = join(folder, kind, name)
      if (/^[._]|^readme\b|\.d\.[cm]?ts$/i.test(name) || kindOf(file) !== 'file') continue
      const id = basename(name, extname(name))
      const error = nameError(kind, name, id, file, seen.get(id))
      if (error === undefined) files.push({ kind, id, file })
      else problems.push({ file, error })
      seen.set(id, file)
    }
  }
  return { files, problems }
}

function namesIn(folder: string, problems: DropIns['problems']): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT' && codeOf(thrown) !== 'ENOTDIR') {
      problems.push({ file: folder, error: invalid(folder, `cannot be listed (${codeOf(thrown)})`, undefined, thrown) })
    }
    return []
  }
}

function nameError(
  kind: DropInKind,
  name: string,
  id: string,
  file: string,
  twin: string | undefined,
): SvcError | undefined {
  const endings = ENDINGS[kind]
  if (!endings.includes(extname(name))) return invalid(file, `must end in one of ${endings.join(' ')}`)
  const pattern = kind === 'tools' ? TOOL_SLUG : SLUG
  if (!pattern.test(id)) return invalid(file, `its name "${id}" is no id: it must ${mustFit(pattern.source)}`)
  return twin === undefined ? undefined : invalid(file, `"${id}" is already defined by ${twin}`)
}

/** Loads drop-ins. One that cannot be used becomes a problem; the others are loaded. */
export async function loadDropIns(
  files: readonly DropInFile[],
  modules: ModuleLoader,
  readFile: ReadFile,
): Promise<DropIns> {
  const found: DropIns = { providers: [], tools: [], agents: [], plugins: [], problems: [] }
  for (const { kind, id, file } of files) {
    try {
      const value = await loadDropIn(kind, file, modules, readFile)
      if (kind === 'plugins') found.plugins.push({ plugin: toPlugin(value, file), source: file })
      else if (kind === 'providers') found.providers.push({ id, config: toProvider(value, id, file), source: file })
      else if (kind === 'tools') found.tools.push({ id, config: toTool(value, id, file), source: file })
      else found.agents.push({ id, profile: toAgent(value, id, file), source: file })
    } catch (thrown) {
      const error = toSvcError(thrown, 'config_invalid')
      found.problems.push({ file, error, defines: { kind: DROP_IN_DEFINES[kind], id } })
    }
  }
  return found
}

/** What a drop-in says: the default export of code, or data. */
export async function loadDropIn(
  kind: DropInKind,
  file: string,
  modules: ModuleLoader,
  readFile: ReadFile,
): Promise<unknown> {
  if (CODE_ENDINGS.includes(extname(file))) {
    return modules.loadFile(file, kind === 'plugins' ? 'plugin_load_failed' : 'config_invalid')
  }
  const text = toText(readFile(file), file)
  return extname(file) === '.md' ? parseAgentFile(text, file) : parseData(text, file)
}

/** @throws ConfigError `config_invalid` */
export function toProvider(value: unknown, id: string, file: string): ProviderConfig {
  // A code file may export the provider itself, or the function that makes it.
  if (typeof value === 'function') return toProvider({ type: id, create: value }, id, file)
  if (isInstance(value, 'generate'))
    return { type: id, create: () => value as ReturnType<NonNullable<ProviderConfig['create']>> }
  const fields = isRecord(value) && value.create !== undefined ? { type: id, ...value } : value
  const config = checkFields(ProviderConfig, fields, id, file) as ProviderConfig
  if (config.create !== undefined && typeof config.create !== 'function') {
    throw invalid(file, '/create must be a function, which only a code file can hold')
  }
  return config
}

const isInstance = (value: unknown, method: string): boolean =>
  typeof value === 'object' && value !== null && method in value && typeof Reflect.get(value, method) === 'function'

/** @throws ConfigError `config_invalid` */
export function toTool(value: unknown, id: string, file: string): ToolConfig {
  const tool = checkFields(ToolConfig, value, id, file)
  throwIfAny(checkTool(tool), file)
  return tool as ToolConfig
}

/** @throws ConfigError `config_invalid` */
export function toAgent(value: unknown, id: string, file: string): AgentInput {
  const named = isRecord(value) ? { name: id, ...value } : value
  const agent = checkFields(AgentInput, named, id, file)
  throwIfAny(checkAgent(agent), file)
  return { ...(agent as AgentInput), id }
}

/** What a file says, without unknown fields; an `id` in it must be the file's name. */
function checkFields(schema: object, value: unknown, id: string, file: string): unknown {
  if (!isRecord(value))
    throw invalid(file, value === undefined ? 'is empty or exports nothing by default' : 'must be an object')
  const { $schema: _, id: stated, ...fields } = value
  if (stated !== undefined && stated !== id) throw invalid(file, `/id must be the file's name "${id}", or be left out`)
  const errors: FieldError[] = []
  const known = findUnknown(schema, fields, '', errors)
  throwIfAny([...errors, ...findErrors(schema, known)], file)
  return known
}
