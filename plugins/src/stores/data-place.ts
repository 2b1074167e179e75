import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { LoadedConfig } from '@svc/core'
import { defaultUserDir, getDataDir, personalDataDir } from '@svc/core/config'
import { AUDIT_FOLDER } from '../audit/audit-log.ts'
import { isInside } from '../tools/files/workspace.ts'
import type { DataProject } from './sqlite/file/data-file.ts'

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Whether things outlive the process: yes, no, in this folder, or (undefined) where somebody has said so. */
export type Persist = boolean | { dir: string } | undefined

/** A folder for data, in which `space` is what belongs to the runs of one folder. */
export interface DataPlace {
  dir: string
  /** The project, where the folder was chosen because it lies in one. */
  project?: DataProject
  space: string
}

/** What runs have in common that are worked on in one place: its name in the config, else the project's folder. */
export const spaceOf = ({ config, projectDir, workspace }: LoadedConfig): string =>
  config.store?.space ?? projectDir ?? workspace

/**
 * Where a runtime keeps its data, or undefined where it keeps it in memory alone.
 *
 * Unasked, a program's runtime writes no files: only `store.dir`, `SVC_DATA_DIR` or a `.svc/data` that is there already
 * make it use the store that the command line uses. A folder that is not trusted gets no file and gives none: there the
 * person's own data folder is used.
 */
export function chooseDataPlace(
  persist: Persist,
  loaded: LoadedConfig,
  env: EnvironmentVariables,
): DataPlace | undefined {
  if (persist === false) return undefined
  const projectDir = loaded.trusted ? loaded.projectDir : undefined
  const space = spaceOf(loaded)
  if (typeof persist === 'object') return { dir: persist.dir, space }
  const isStated = isDataDirStated(loaded, env)
  const isThere = projectDir !== undefined && existsSync(join(projectDir, '.svc', 'data'))
  if (persist === undefined && !isStated && !isThere) return undefined
  const dir = getDataDir(loaded, env)
  const isPersons = loaded.config.store?.dir === undefined && isStated
  const project = isPersons ? undefined : findDataProject(loaded, '/store/dir', dir, env)
  return { dir, space, ...(project === undefined ? {} : { project }) }
}

/**
 * Where the audit log is: in the data folder, or where that lies in a project and the project or nobody chose it, in the
 * person's own, since what is there may have come with the project.
 *
 * @returns undefined where nothing outlives the process
 */
export function chooseAuditDir(persist: Persist, loaded: LoadedConfig, env: EnvironmentVariables): string | undefined {
  if (typeof persist === 'object') return join(persist.dir, AUDIT_FOLDER)
  const { url } = loaded.config.store ?? {}
  const isKept = persist ?? (isDataDirStated(loaded, env) || (url ?? env.SVC_DATABASE_URL ?? 'memory:') !== 'memory:')
  return isKept ? join(personsDataDir(loaded, env), AUDIT_FOLDER) : undefined
}

/** Where it is written which folders a person trusts: in their own data folder, whatever the folder says. */
export const personalAuditDir = (folder: string, env: EnvironmentVariables): string =>
  join(env.SVC_DATA_DIR ? resolve(folder, env.SVC_DATA_DIR) : personalDataDir(env), AUDIT_FOLDER)

function personsDataDir(loaded: LoadedConfig, env: EnvironmentVariables): string {
  const dir = getDataDir(loaded, env)
  const isPersons = loaded.config.store?.dir === undefined && isDataDirStated(loaded, env)
  const isProjects = !isPersons && findDataProject(loaded, '/store/dir', dir, env) !== undefined
  return isProjects ? personalDataDir(env) : dir
}

/**
 * The project that a place for data lies in, where its own config or nobody chose the place: what is there may have come
 * with it. Undefined for a place that the person chose, or that lies elsewhere.
 *
 * @param setting the pointer of the setting that names the place
 */
export function findDataProject(
  { projectDir, origin }: LoadedConfig,
  setting: '/store/dir' | '/store/url',
  place: string,
  env: EnvironmentVariables,
): DataProject | undefined {
  if (projectDir === undefined || !isInside(projectDir, place)) return undefined
  const source = origin[setting]
  const isProjects = source === undefined || (isAbsolute(source) && isInside(projectDir, source))
  return isProjects ? { folder: projectDir, userDir: defaultUserDir(env) } : undefined
}

/** Whether somebody has said where data is kept: then runs are kept too, unasked. */
export const isDataDirStated = ({ config }: Pick<LoadedConfig, 'config'>, env: EnvironmentVariables): boolean =>
  config.store?.dir !== undefined || Boolean(env.SVC_DATA_DIR)
