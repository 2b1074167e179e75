import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside } from '../files/workspace.ts'
import { GUARDED_FOLDERS, isGuardedName } from '../programs/always-ask.ts'

/** A search for files that decide what is run looks at no more folders than this. */
const MOST_FOLDERS = 2_000
/** Made anew by package managers and builds. */
const REMADE = new Set('.git node_modules bower_components __pycache__ .venv dist build target coverage'.split(' '))

/** The files and folders of a workspace that decide what is run, by their names. */
export function findGuardedNames(workspace: string): string[] {
  const found: string[] = []
  const open = [workspace]
  for (let looked = 0, folder = open.pop(); folder !== undefined && looked < MOST_FOLDERS; folder = open.pop()) {
    looked++
    for (const entry of readFolder(folder)) {
      const path = join(folder, entry.name)
      if (REMADE.has(entry.name)) continue
      if (entry.isDirectory()) (GUARDED_FOLDERS.has(entry.name.toLowerCase()) ? found : open).push(path)
      else if (entry.isFile() && isGuardedName(entry.name)) found.push(path)
    }
  }
  return found
}

/** The folders between a workspace and a file in it, outermost first. A folder that is mounted cannot be renamed. */
export function foldersAround(workspace: string, path: string): string[] {
  const folder = dirname(path)
  if (folder === workspace || !isInside(workspace, folder)) return []
  return [...foldersAround(workspace, folder), folder]
}

/** What tells whether a program made or replaced a file that decides what is run, where nothing could be mounted. */
export interface Watch {
  /** Paths of such files that are there now, or are links that lead elsewhere. */
  findChanged(): string[]
}

/**
 * @param absent what must not come to be
 * @param files what a program must neither make nor replace by a link; a folder in its place is nobody's program
 * @param watchesNames whether files right in the workspace count too whose names decide what is run
 */
export function watchFiles(
  workspace: string,
  absent: readonly string[],
  files: readonly string[],
  watchesNames: boolean,
): Watch {
  const before = new Map(files.filter((path) => isInside(workspace, path)).map((path) => [path, stateOf(path)]))
  const names = new Set(readdirSync(workspace))
  const isNew = (name: string): boolean =>
    !names.has(name) && !REMADE.has(name) && (isGuardedName(name) || GUARDED_FOLDERS.has(name.toLowerCase()))
  return {
    findChanged() {
      const changed = [...before].flatMap(([path, state]) => {
        const now = stateOf(path)
        return now === state || now === 'nothing' || now === 'a folder' ? [] : [path]
      })
      const appeared = absent.filter((path) => stateOf(path) !== 'nothing')
      const made = watchesNames ? readdirSync(workspace).filter(isNew) : []
      return [...new Set([...appeared, ...changed, ...made.map((name) => join(workspace, name))])]
    },
  }
}

/**
 * What is at a path: `nothing`, `a file`, `a folder`, or `-> ` and what a link says. Paths are made of the words of commands,
 * so also of texts that no file can be called by: below a file, too long, or with a NUL character. There is nothing.
 */
export function stateOf(path: string): string {
  try {
    const found = lstatSync(path)
    return found.isSymbolicLink() ? `-> ${readlinkSync(path)}` : found.isDirectory() ? 'a folder' : 'a file'
  } catch {
    return 'nothing'
  }
}

/** What is in a folder; nothing where it is a file, or not there. */
export function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
