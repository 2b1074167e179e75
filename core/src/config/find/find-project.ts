import { dirname, join } from 'node:path'
import { findEnvFile } from './env-file.ts'
import { findConfigFile, kindOf } from './paths.ts'

/** The nearest folder with a config file or `.svc`, else the workspace with its `.env`. */
export interface Project {
  folder: string
  configFile?: string
  /** The folder `.svc`, where there is one. */
  dropIns?: string
  /** The `.env`, where it sets something that svc takes. */
  envFile?: string
}

/**
 * Looks for a config file or a folder `.svc`, from the workspace up to the first folder that holds `.git`;
 * without such a folder in the workspace alone. A project has one such folder: the nearest wins. Where there is none, a `.env`
 * of the workspace by itself makes one.
 */
export function findProject(workspace: string): Project | undefined {
  for (const folder of searchFolders(workspace)) {
    const configFile = findConfigFile(folder)
    const dropIns = kindOf(join(folder, '.svc')) === 'folder' ? join(folder, '.svc') : undefined
    if (configFile !== undefined || dropIns !== undefined) {
      return {
        folder,
        ...(configFile === undefined ? {} : { configFile }),
        ...(dropIns === undefined ? {} : { dropIns }),
        ...withEnvFile(folder),
      }
    }
  }
  const alone = withEnvFile(workspace)
  return alone.envFile === undefined ? undefined : { folder: workspace, ...alone }
}

function withEnvFile(folder: string): Pick<Project, 'envFile'> {
  const envFile = findEnvFile(folder)
  return envFile === undefined ? {} : { envFile }
}

function searchFolders(workspace: string): string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (kindOf(join(folder, '.git')) !== undefined) return folders
    if (dirname(folder) === folder) return [workspace]
  }
}
