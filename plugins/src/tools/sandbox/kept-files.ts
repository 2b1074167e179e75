import { chmodSync, type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../files/file-errors.ts'
import { isInside, realOf } from '../files/workspace.ts'
import { GUARDED_FOLDERS, isGuardedName } from '../programs/always-ask.ts'
import { holdsApproved, isAsApproved } from '../programs/approved-files.ts'

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
    const entries = readFolder(folder)
    // what cannot be looked into now, a program could open up and change
    if (entries.length === 0 && isClosedFolder(folder)) found.push(folder)
    for (const entry of entries) {
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
  /** Paths of such files that are there now, or are links that lead elsewhere; folders that hide them are opened first. */
  findChanged(): Buffer[]
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
  const inside = files.filter((path) => isInside(workspace, path))
  const around = [...new Set([...absent, ...inside].flatMap((path) => foldersAround(workspace, path)))].sort()
  const before = new Map([...around, ...inside].map((path) => [path, stateOf(path)]))
  const modes = [workspace, ...around].map((folder) => [folder, modeOf(folder)] as const)
  const names = new Set(namesIn(workspace).map(toKey))
  const isNew = (name: Buffer): boolean => {
    const text = name.toString()
    return (
      !names.has(toKey(name)) && !REMADE.has(text) && (isGuardedName(text) || GUARDED_FOLDERS.has(text.toLowerCase()))
    )
  }
  return {
    findChanged() {
      for (const [folder, mode] of modes) reopen(folder, mode)
      const links = around.filter((path) => isOtherLink(stateOf(path), before.get(path)))
      // what lies behind a link was not made by the program: the link was
      const isReached = (path: string): boolean => isInside(workspace, realOf(dirname(path)))
      const changed = inside.filter((path) => {
        const now = stateOf(path)
        return isReached(path) && now !== before.get(path) && now !== 'nothing' && now !== 'a folder'
      })
      const appeared = absent.filter((path) => stateOf(path) !== 'nothing')
      const made = watchesNames ? namesIn(workspace).filter(isNew) : []
      const texts = new Set([...links, ...appeared, ...changed].map((path) => toKey(Buffer.from(path))))
      const all = new Set([...texts, ...made.map((name) => toKey(Buffer.concat([Buffer.from(`${workspace}/`), name])))])
      return [...all].flatMap((key) => notApproved(Buffer.from(key, 'latin1')))
    },
  }
}

const isOtherLink = (now: string, before: string | undefined): boolean => now.startsWith('->') && now !== before

/** Names need not be text, so they are compared by their bytes. */
const namesIn = (folder: string): Buffer[] => readdirSync(folder, { encoding: 'buffer' })
const toKey = (name: Buffer): string => name.toString('latin1')

/** The mode of a folder; undefined where there is none by that name, nor can be. */
function modeOf(folder: string): number | undefined {
  try {
    const found = lstatSync(folder)
    return found.isDirectory() ? found.mode & 0o7777 : undefined
  } catch {
    return undefined
  }
}

/** Opens a folder that a program closed, or made closed: it would hide what is in it. */
function reopen(folder: string, before = 0o700): void {
  const now = modeOf(folder)
  if (now !== undefined && (~now & before & 0o700) !== 0) chmodSync(folder, now | (before & 0o700))
}

/** A path, or of a folder with something that a person approved, all else that is in it. */
function notApproved(path: Buffer): Buffer[] {
  const text = path.toString()
  if (isAsApproved(text)) return []
  if (stateOf(text) !== 'a folder' || !holdsApproved(text)) return [path]
  return namesIn(text).flatMap((name) => notApproved(Buffer.concat([path, Buffer.from('/'), name])))
}

/** Whether a folder can be looked into; root can look into any. */
export function isClosedFolder(path: string): boolean {
  try {
    readdirSync(path)
    return false
  } catch (error) {
    return codeOf(error) === 'EACCES'
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
