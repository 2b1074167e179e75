import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findEnvFile } from './env-file.ts'
import { findConfigFile, kindOf } from './paths.ts'

/** The nearest folder with a config file or `.svc`, else with skills or commands, else the workspace with its `.env`. */
export interface Project {
  folder: string
  configFile?: string
  /** The folder `.svc`, where there is one. */
  dropIns?: string
  /** The `.env`, where it sets something that svc takes. */
  envFile?: string
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
 * nearest one with skills or commands makes one, or a `.env` of the workspace by itself.
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
  const nearest = [...skills, ...commands].map(({ folder }) => dirname(dirname(folder)))
  const folder = found?.folder ?? folders.find((each) => nearest.includes(each)) ?? workspace
  const project: Project = {
    ...(found ?? { folder }),
    ...withEnvFile(folder),
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

function withEnvFile(folder: string): Pick<Project, 'envFile'> {
  const envFile = findEnvFile(folder)
  return envFile === undefined ? {} : { envFile }
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
