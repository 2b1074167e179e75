import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findEnvFile } from './env-file.ts'
import { findConfigFile, kindOf, PROJECT_MCP_FILE } from './paths.ts'

/** The nearest folder with a config file or `.svc`, else the workspace with its `.env`. */
export interface Project {
  folder: string
  configFile?: string
  /** The folder `.svc`, where there is one. */
  dropIns?: string
  /** The `.env`, where it sets something that svc takes. */
  envFile?: string
  /** What stands at `.mcp.json`, whatever it is. */
  mcpFile?: string
}

/**
 * Looks for a config file or a folder `.svc`, from the workspace up to the first folder that holds `.git`;
 * without such a folder in the workspace alone. A project has one such folder: the nearest wins. Where there is none, the
 * nearest `.mcp.json` makes one, or else a `.env` of the workspace.
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
        ...withOthers(folder),
      }
    }
  }
  const folder = searchFolders(workspace).find((above) => findMcpFile(above) !== undefined) ?? workspace
  const others = withOthers(folder)
  return Object.keys(others).length === 0 ? undefined : { folder, ...others }
}

function withOthers(folder: string): Pick<Project, 'envFile' | 'mcpFile'> {
  const envFile = findEnvFile(folder)
  const mcpFile = findMcpFile(folder)
  return { ...(envFile === undefined ? {} : { envFile }), ...(mcpFile === undefined ? {} : { mcpFile }) }
}

/** Also a pipe or a link that leads nowhere: what cannot be read is named. */
function findMcpFile(folder: string): string | undefined {
  const file = join(folder, PROJECT_MCP_FILE)
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file
}

function searchFolders(workspace: string): string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (kindOf(join(folder, '.git')) !== undefined) return folders
    if (dirname(folder) === folder) return [workspace]
  }
}
