import { isAbsolute, relative, resolve } from 'node:path'
import { defaultCacheDir, defaultUserDir, type EnvironmentVariables, toWorkspace } from '../find/paths.ts'
import { untrusted } from '../read/config-error.ts'
import { isOn } from '../read/environment.ts'
import { MAX_CODE_BYTES, type ReadFile, readBytes } from '../read/read-data.ts'
import { readRecordedFiles } from '../trust/read-recorded.ts'
import { checkTrust } from '../trust/trust.ts'
import { createModuleLoader, type ModuleLoader, type ModuleLoaderOptions } from './load-module.ts'

/** How code is loaded that a person names on the command line, such as an experiment. */
export interface NamedCodeOptions {
  /** The folder whose record of trust counts. Default the process's. */
  cwd?: string | undefined
  /** Default the process's. */
  env?: EnvironmentVariables | undefined
  /** True: the folder is trusted for this once. Default `SVC_TRUST`. */
  trust?: boolean | undefined
  /** Packages of svc that the caller has, so that the code gets the same copies. */
  packages?: ModuleLoaderOptions['packages']
  /** Default those of this process. */
  modules?: ModuleLoaderOptions['modules']
  /** Default `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
  userDir?: string | undefined
}

export interface NamedCodeLoader extends ModuleLoader {
  /**
   * For a file of plain data that makes svc run something.
   *
   * @param what it does, for the message, such as `names a command`
   * @throws ConfigError `config_untrusted`
   */
  assertTrusted(file: string, what: string): void
  /** Reads a file that is data. @throws ConfigError `config_untrusted` */
  read: ReadFile
}

/**
 * A loader of a trusted folder's code that no config names: `svc trust <file>` covers it.
 *
 * It throws ConfigError `config_untrusted` for a file that no record covers, or that changed since, and
 * `plugin_load_failed` or `config_invalid` for one that cannot be loaded.
 */
export function createNamedCodeLoader(options: NamedCodeOptions = {}): NamedCodeLoader {
  const { env = process.env, trust = isOn(env.SVC_TRUST), packages, modules } = options
  const cacheDir = defaultCacheDir(env)
  if (trust) return { ...createModuleLoader({ cacheDir, packages, modules }), assertTrusted: () => {}, read: readBytes }
  const workspace = toWorkspace(options.cwd)
  const { state, folder, changed, loadable } = checkTrust(workspace, {
    userDir: options.userDir ?? defaultUserDir(env),
  })
  const read = readRecordedFiles(loadable, workspace)
  const assertKnown = (file: string, what: string): void => {
    const command = `svc trust ${relative(workspace, file)}`
    if (state === 'unknown') throw untrusted(file, `${what}, and its folder is not trusted`, command)
    if (state === 'changed') throw untrusted(changed[0] ?? file, 'changed since this folder was trusted')
  }
  const loader = createModuleLoader({ cacheDir, packages, modules, record: { folder, read } })
  return {
    assertTrusted(file, what) {
      assertKnown(file, what)
      read(file, MAX_CODE_BYTES)
    },
    read(file, maxBytes) {
      assertKnown(file, 'is loaded')
      return read(file, maxBytes)
    },
    async loadFile(file, code) {
      readBytes(file, MAX_CODE_BYTES)
      assertKnown(file, 'is code')
      return loader.loadFile(file, code)
    },
    async loadNamed(name, from) {
      assertKnown(isAbsolute(name) || name.startsWith('.') ? resolve(from, name) : name, 'is code')
      return loader.loadNamed(name, from)
    },
  }
}
