import { realpathSync } from 'node:fs'
import { basename, dirname, extname, resolve, sep } from 'node:path'
import type { ProviderConfig, ToolConfig } from '../../contracts/config.ts'
import type { AgentInput } from '../../contracts/plugin/agent-profile.ts'
import type { Plugin } from '../../contracts/plugin/plugin.ts'
import {
  assertOwn,
  CODE_ENDINGS,
  DATA_ENDINGS,
  DROP_IN_KINDS,
  type DropInKind,
  defaultUserDir,
  kindOf,
  toWorkspace,
} from '../find/paths.ts'
import type { LoadOptions } from '../loaded-config.ts'
import { toPlugin } from '../merge/resolve-plugins.ts'
import { isPlugin } from '../read/check-config.ts'
import { invalid } from '../read/config-error.ts'
import { loadDropIn, toAgent, toProvider, toTool } from '../read/drop-ins.ts'
import { isRecord } from '../read/read-data.ts'
import { createNamedCodeLoader } from './load-named-code.ts'

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
  const { env = process.env, kind, userDir = defaultUserDir(env), ...others } = options
  const workspace = toWorkspace(options.cwd)
  const found = resolve(workspace, name)
  if (kindOf(found) !== 'file') throw invalid(found, 'there is no such file')
  const file = realpathSync(found)
  const endings = [...CODE_ENDINGS, ...DATA_ENDINGS, '.md']
  if (!endings.includes(extname(file))) throw invalid(file, `must end in one of ${endings.join(' ')}`)
  // The person's own folder needs no record.
  const isOwn = file.startsWith(`${assertOwn(userDir)}${sep}`)
  const loader = createNamedCodeLoader({ ...others, env, userDir, ...(isOwn && { trust: true }) })
  const folder = DROP_IN_KINDS.find((each) => basename(dirname(file)) === each)
  const given = kind === undefined ? folder : (`${kind}s` as DropInKind)
  const value = await loadDropIn(given ?? 'plugins', file, loader, loader.read)
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
