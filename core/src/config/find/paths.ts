import { readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, posix, resolve, win32 } from 'node:path'
import { isForeign } from '../../support/own-files.ts'
import { invalid } from '../read/config-error.ts'
import { readRegularFile } from '../read/read-regular-file.ts'

const MOST_PACKAGE_BYTES = 1 << 20

/** Environment variables; an absent one is unset. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** What a config file may be called, first hit wins. `package.json` counts where it has a field `svc`. */
export const SEARCH_PLACES = [
  ...['ts', 'mts', 'js', 'mjs', 'cjs', 'json', 'yaml', 'yml'].map((ending) => `svc.config.${ending}`),
  '.svcrc',
  ...['json', 'yaml', 'yml', 'ts', 'js', 'mjs', 'cjs'].map((ending) => `.svcrc.${ending}`),
  'package.json',
] as const

/** Endings of files that run when they are loaded. */
export const CODE_ENDINGS: readonly string[] = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']

/** Endings of files that are only read. */
export const DATA_ENDINGS: readonly string[] = ['.json', '.yaml', '.yml']

/** The file of MCP servers in a project, which other programs read, too. */
export const PROJECT_MCP_FILE = '.mcp.json'

/** The file in the person's own folder that `svc mcp add` writes. */
export const USER_MCP_FILE = 'mcp.json'

/** Kinds of drop-ins, which are also the names of their folders. */
export const DROP_IN_KINDS = ['providers', 'tools', 'agents', 'plugins'] as const
export type DropInKind = (typeof DROP_IN_KINDS)[number]

/** The managed file, which bounds every user of the machine: where only those who manage it can write. */
export const MANAGED_FILE =
  process.platform === 'win32' ? 'C:\\Program Files\\svc\\svc.config.json' : '/etc/svc/svc.config.json'

/** The person's own folder: `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`, on Windows `%APPDATA%\svc`. */
export const defaultUserDir = (env: EnvironmentVariables = process.env): string => homeFolder('config', env)

/** The person's own folder, before what is in it is believed. @throws ConfigError `config_invalid` for one of another user */
export function assertOwn(userDir: string): string {
  if (!isForeign(userDir)) return userDir
  throw invalid(userDir, 'is not read because it belongs to another user: remove it, or set XDG_CONFIG_HOME')
}

/**
 * Where compiled config code is kept, so that it is compiled once: `$XDG_CACHE_HOME/svc/code`, else below `~/.cache`, on
 * Windows below `%LOCALAPPDATA%`.
 */
export const defaultCacheDir = (env: EnvironmentVariables = process.env): string =>
  join(homeFolder('cache', env), 'code')

/** The person's home. */
export const homeOf = ({ HOME = '' }: EnvironmentVariables = process.env): string =>
  process.platform !== 'win32' && posix.isAbsolute(HOME) ? HOME : homedir()

/** For each kind of folder: variables and places below the home, on POSIX systems and on Windows. */
const HOMES = {
  config: ['XDG_CONFIG_HOME', ['.config'], 'APPDATA', ['AppData', 'Roaming', 'svc']],
  cache: ['XDG_CACHE_HOME', ['.cache'], 'LOCALAPPDATA', ['AppData', 'Local', 'svc', 'cache']],
  data: ['XDG_DATA_HOME', ['.local', 'share'], 'LOCALAPPDATA', ['AppData', 'Local', 'svc']],
} as const

/**
 * A folder of the XDG Base Directory Specification (0.8), or of Windows where no variable of that one is set. A relative path
 * counts as unset, as it says there: it would otherwise be a folder of the project that the process stands in.
 */
export function homeFolder(
  kind: keyof typeof HOMES,
  env: EnvironmentVariables,
  { platform = process.platform, home = homedir() }: { platform?: NodeJS.Platform; home?: string } = {},
): string {
  const [variable, below, windowsVariable, windowsBelow] = HOMES[kind]
  const isWindows = platform === 'win32'
  const { isAbsolute, join } = isWindows ? win32 : posix
  const stated = (name: string): string | undefined => (isAbsolute(env[name] ?? '') ? env[name] : undefined)
  const xdg = stated(variable)
  if (xdg !== undefined) return join(xdg, 'svc')
  if (!isWindows) return join(stated('HOME') ?? home, ...below, 'svc')
  const given = stated(windowsVariable)
  return given === undefined ? join(home, ...windowsBelow) : join(given, ...windowsBelow.slice(2))
}

/** What is at a path: symbolic links are followed, and what cannot be read counts as absent. */
export function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? 'file' : stats?.isDirectory() ? 'folder' : undefined
  } catch {
    return undefined
  }
}

/**
 * The folder that a run works in, with symbolic links resolved.
 *
 * @throws ConfigError `config_invalid` when it is no folder or may not be entered
 */
export function toWorkspace(cwd: string = process.cwd()): string {
  let folder: string
  try {
    folder = realpathSync(resolve(cwd))
  } catch (thrown) {
    throw invalid(resolve(cwd), `is not a folder that can be entered (${codeOf(thrown)})`, undefined, thrown)
  }
  if (kindOf(folder) !== 'folder') throw invalid(folder, 'is not a folder')
  return folder
}

/** The system's code of a failure, such as `ENOENT`. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown'
}

/** The first config file of a folder. */
export function findConfigFile(folder: string): string | undefined {
  return SEARCH_PLACES.map((place) => join(folder, place)).find(
    (file) => kindOf(file) === 'file' && (!file.endsWith('package.json') || hasSvcField(file)),
  )
}

const CONFIG_NAME = /^(?:svc\.config|\.svcrc)(?:\.\w+)?$/

/** Files of a folder that look like its config and are none of those that were read. */
export function findUnreadConfigs(folder: string, read: ReadonlySet<string>): string[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => CONFIG_NAME.test(name) || name === 'package.json')
    .map((name) => join(folder, name))
    .filter((file) => !read.has(file) && kindOf(file) === 'file')
    .filter((file) => !file.endsWith('package.json') || hasSvcField(file))
    .sort()
}

function hasSvcField(file: string): boolean {
  try {
    const read = readRegularFile(file, MOST_PACKAGE_BYTES)
    const text = 'bytes' in read ? read.bytes.toString('utf8') : ''
    if (!text.includes('"svc"')) return false
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null && Object.hasOwn(content, 'svc')
  } catch {
    return false // a broken package.json is not about us
  }
}
