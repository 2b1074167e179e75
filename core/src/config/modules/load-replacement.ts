import { realpathSync } from 'node:fs'
import { basename, dirname, extname, relative, resolve, sep } from 'node:path'
import type { ProviderConfig, ToolConfig } from '../../contracts/config.ts'
import type { AgentInput } from '../../contracts/plugin/agent-profile.ts'
import type { Plugin } from '../../contracts/plugin/plugin.ts'
import { findProject } from '../find/find-project.ts'
import {
  CODE_ENDINGS,
  DATA_ENDINGS,
  DROP_IN_KINDS,
  type DropInKind,
  defaultCacheDir,
  defaultUserDir,
  kindOf,
  toWorkspace,
} from '../find/paths.ts'
import type { LoadOptions } from '../loaded-config.ts'
import { toPlugin } from '../merge/resolve-plugins.ts'
import { isPlugin } from '../read/check-config.ts'
import { invalid, untrusted } from '../read/config-error.ts'
import { loadDropIn, toAgent, toProvider, toTool } from '../read/drop-ins.ts'
import { isOn } from '../read/environment.ts'
import { isRecord, type ReadFile, readBytes } from '../read/read-data.ts'
import { readRecordedFiles } from '../trust/read-recorded.ts'
import { checkTrust } from '../trust/trust.ts'
import { createModuleLoader, type ModuleLoaderOptions } from './load-module.ts'

/** What one file has in place of a part of svc. */
export type Replacement = { file: string; id: string } & (
  | { kind: 'plugin'; make(options?: object): Plugin }
  | { kind: 'provider'; config: ProviderConfig }
  | { kind: 'tool'; config: ToolConfig }
  | { kind: 'agent'; profile: AgentInput }
)

export interface ReplacementOptions extends Pick<LoadOptions, 'cwd' | 'env' | 'trust' | 'userDir' | 'packages'> {
  /** What it is. Default: what the folder of a drop-in says, else what is in it. */
  kind?: Replacement['kind'] | undefined
}

/**
 * Loads one file as a drop-in of that kind is loaded, wherever it lies; its name is its id.
 *
 * @throws ConfigError `config_untrusted` for a file that no record of trust covers as it is; `config_invalid`,
 *   `plugin_load_failed` for one that cannot be used
 */
export async function loadReplacement(name: string, options: ReplacementOptions = {}): Promise<Replacement> {
  const env = options.env ?? process.env
  const workspace = toWorkspace(options.cwd)
  const found = resolve(workspace, name)
  if (kindOf(found) !== 'file') throw invalid(found, 'there is no such file')
  const file = realpathSync(found)
  const endings = [...CODE_ENDINGS, ...DATA_ENDINGS, '.md']
  if (!endings.includes(extname(file))) throw invalid(file, `must end in one of ${endings.join(' ')}`)
  const record = findRecord(
    file,
    workspace,
    options.userDir ?? defaultUserDir(env),
    options.trust ?? isOn(env.SVC_TRUST),
  )
  const modules = createModuleLoader({
    cacheDir: defaultCacheDir(env),
    ...(options.packages === undefined ? {} : { packages: options.packages }),
    record,
  })
  const folder = DROP_IN_KINDS.find((kind) => basename(dirname(file)) === kind)
  const given = options.kind === undefined ? folder : (`${options.kind}s` as DropInKind)
  const value = await loadDropIn(given ?? 'plugins', file, modules, record?.read ?? readBytes)
  const id = basename(file, extname(file))
  switch (given ?? guess(value, file)) {
    case 'providers':
      return { kind: 'provider', id, file, config: toProvider(value, id, file) }
    case 'tools':
      return { kind: 'tool', id, file, config: toTool(value, id, file) }
    case 'agents':
      return { kind: 'agent', id, file, profile: toAgent(value, id, file) }
    default:
      return { kind: 'plugin', id, file, make: (made) => toPlugin(value, file, made) }
  }
}

/** What covers the file; undefined where none is needed: the person's own folder, and a folder that is trusted for once. */
function findRecord(file: string, workspace: string, userDir: string, trust: boolean): ModuleLoaderOptions['record'] {
  if (trust || file.startsWith(`${userDir}${sep}`)) return undefined
  const { state, loadable } = checkTrust(workspace, { userDir })
  if (state === 'unknown') {
    const command = `svc trust ${relative(workspace, file)}`
    throw untrusted(file, 'lies in a folder that nobody trusts, so it is not loaded', command)
  }
  const read: ReadFile = readRecordedFiles(loadable, workspace)
  return { folder: findProject(workspace)?.folder ?? workspace, read }
}

/** The kind of a file that lies in no folder of drop-ins. */
function guess(value: unknown, file: string): DropInKind {
  if (extname(file) === '.md') return 'agents'
  if (typeof value === 'function' || isPlugin(value)) return 'plugins'
  if (isRecord(value)) {
    if ('generate' in value || 'create' in value || 'type' in value || 'baseUrl' in value) return 'providers'
    if ('parameters' in value || 'risk' in value || 'command' in value) return 'tools'
    if ('instructions' in value || 'role' in value) return 'agents'
  }
  throw invalid(file, 'looks like no plugin, provider, tool or agent: say with --kind what it is')
}
