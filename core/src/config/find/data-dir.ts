import { join, resolve } from 'node:path'
import type { SvcConfig } from '../../contracts/config.ts'
import { type EnvironmentVariables, homeFolder } from './paths.ts'

/** What the data folder depends on; a `LoadedConfig` has it. */
export interface DataDirFacts {
  config: SvcConfig
  workspace: string
  /** The folder of the project's config or `.svc/`, where there is one. */
  projectDir?: string
  /** Whether the person trusts the project: what is kept in a folder that they do not trust is left alone. */
  trusted: boolean
}

/** The one database of a data folder. */
export const DATA_FILE = 'svc.db'

/** The key of a server of this machine, in its data folder. */
export const LOCAL_KEY_FILE = 'server.key'

/**
 * Where runs, events and memories are kept: `store.dir`, else `SVC_DATA_DIR`, else `.svc/data` of a trusted
 * project that has a config or a folder `.svc`, else `$XDG_DATA_HOME/svc` (`~/.local/share/svc`).
 *
 * @returns an absolute path; it need not exist
 */
export function getDataDir(
  { config, workspace, projectDir, trusted }: DataDirFacts,
  env: EnvironmentVariables = process.env,
): string {
  const stated = config.store?.dir ?? (env.SVC_DATA_DIR || undefined)
  if (stated !== undefined) return resolve(workspace, stated)
  if (projectDir !== undefined && trusted) return join(projectDir, '.svc', 'data')
  return personalDataDir(env)
}

/** The person's own data folder: `$XDG_DATA_HOME/svc`, else `~/.local/share/svc`, on Windows `%LOCALAPPDATA%\svc`. */
export const personalDataDir = (env: EnvironmentVariables = process.env): string => homeFolder('data', env)

/** The folder in which `svc experiment` keeps what it measures, a folder by name for each. */
export const getExperimentsDir = ({ projectDir, workspace }: Pick<DataDirFacts, 'projectDir' | 'workspace'>): string =>
  join(projectDir ?? workspace, '.svc', 'experiments')
