import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findEnvFile } from './env-file.ts'
import { findConfigFile, kindOf, PROJECT_MCP_FILE } from './paths.ts'

/** The nearest folder with a config file or `.svc`, else with skills or commands, else the workspace with its `.env`. */
export interface Project {
  folder: string
  configFile?: string
  /** The folder `.svc`, where there is one. */
  dropIns?: string
  /** The `.env`, where it sets something that svc takes. */
  envFile?: string
  /** What stands at `.mcp.json`, whatever it is. */
  mcpFile?: string
  /** Folders of skills and of commands, the strongest first. */
  skills?: FoundFolder[]
  commands?: FoundFolder[]
}

/** A folder that svc looks into, and the one that no link of it may lead out of. */
export interface FoundFolder {
  folder: string
  bounds: string
}

/** Where other programs keep what svc reads as well, below each folder of a repository. */
const SKILLS = [join('.agents', 'skills'), join('.claude', 'skills')]
const COMMANDS = [join('.claude', 'commands')]

/**
 * Looks for a config file or a folder `.svc`, from the workspace up to the first folder that holds `.git`;
 * without such a folder in the workspace alone. A project has one such folder: the nearest wins. Where there is none, the
 * nearest one with skills, commands or `.mcp.json` makes one, or a `.env` of the workspace by itself.
 */
export function findProject(workspace: string): Project | undefined {
  const folders = searchFolders(workspace)
  const bounds = folders.at(-1) ?? workspace
  const found = folders.map(findConfig).find(({ configFile, dropIns }) => (configFile ?? dropIns) !== undefined)
  const below = (names: readonly string[]): FoundFolder[] =>
    folders
      .filter((folder) => !isHome(folder))
      .flatMap((folder) => names.map((name) => ({ folder: join(folder, name), bounds })))
      .filter(isThere)
  const skills = below(SKILLS)
  const own = found?.dropIns === undefined ? [] : [{ folder: join(found.dropIns, 'commands'), bounds }].filter(isThere)
  const commands = [...own, ...below(COMMANDS)]
  const guided = [...skills, ...commands].map(({ folder }) => dirname(dirname(folder)))
  const isProject = (each: string): boolean => guided.includes(each) || findMcpFile(each) !== undefined
  const folder = found?.folder ?? folders.find(isProject) ?? workspace
  const project: Project = {
    ...(found ?? { folder }),
    ...withOthers(folder),
    ...(skills.length > 0 && { skills }),
    ...(commands.length > 0 && { commands }),
  }
  return Object.keys(project).length > 1 ? project : undefined
}

function findConfig(folder: string): Project {
  const configFile = findConfigFile(folder)
  const dropIns = join(folder, '.svc')
  return {
    folder,
    ...(configFile === undefined ? {} : { configFile }),
    ...(kindOf(dropIns) === 'folder' ? { dropIns } : {}),
  }
}

/** What lies in a person's home is theirs, and of no project. */
function isHome(folder: string): boolean {
  try {
    return realpathSync(folder) === realpathSync(homedir())
  } catch {
    return false
  }
}

const isThere = ({ folder }: FoundFolder): boolean => kindOf(folder) === 'folder'

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

/** The workspace and those above it, up to the first that holds `.git`; without one the workspace alone. */
export function searchFolders(workspace: string): string[] {
  const folders: string[] = []
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.push(folder)
    if (kindOf(join(folder, '.git')) !== undefined) return folders
    if (dirname(folder) === folder) return [workspace]
  }
}
