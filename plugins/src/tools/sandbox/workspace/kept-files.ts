import { dirname, join } from 'node:path'
import { isInside, realOf } from '../../files/workspace.ts'
import { GUARDED_FOLDERS, isGuardedName } from '../../programs/always-ask.ts'
import { holdsApproved, isAsApproved } from '../../programs/approved-files.ts'
import { modeOf, readFolder, reopen, stateOf } from './on-disk.ts'
import { REMADE } from './scan.ts'

/** The folders between a workspace and a file in it, outermost first. A folder that is mounted cannot be renamed. */
export function foldersAround(workspace: string, path: string): string[] {
  const folder = dirname(path)
  if (folder === workspace || !isInside(workspace, folder)) return []
  return [...foldersAround(workspace, folder), folder]
}

/** What tells whether a program made or replaced a file that decides what is run, where nothing could be mounted. */
export interface Watch {
  /** Paths of such files that are there now, or are links that lead elsewhere; folders that hide them are opened first. */
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
  const inside = files.filter((path) => isInside(workspace, path))
  const around = [...new Set([...absent, ...inside].flatMap((path) => foldersAround(workspace, path)))].sort()
  const before = new Map([...around, ...inside].map((path) => [path, stateOf(path)]))
  const modes = [workspace, ...around].map((folder) => [folder, modeOf(folder)] as const)
  const names = new Set(namesIn(workspace))
  const isNew = (name: string): boolean =>
    !names.has(name) && !REMADE.has(name) && (isGuardedName(name) || GUARDED_FOLDERS.has(name.toLowerCase()))
  return {
    findChanged() {
      for (const [folder, mode] of modes) reopen(folder, mode)
      const links = around.filter((path) => isOtherLink(stateOf(path), before.get(path)))
      // what lies behind a link was not made by the program: the link was
      const isReached = (path: string): boolean => isInside(workspace, realOf(dirname(path)))
      const changed = inside.filter((path) => {
        const now = stateOf(path)
        return now !== before.get(path) && now !== 'nothing' && now !== 'a folder' && isReached(path)
      })
      const appeared = absent.filter((path) => stateOf(path) !== 'nothing')
      const made = watchesNames ? namesIn(workspace).filter(isNew) : []
      const all = [...links, ...appeared, ...changed, ...made.map((name) => join(workspace, name))]
      return [...new Set(all)].flatMap(notApproved)
    },
  }
}

const isOtherLink = (now: string, before: string | undefined): boolean => now.startsWith('->') && now !== before

const namesIn = (folder: string): string[] => (readFolder(folder) ?? []).map(({ name }) => name)

/** A path, or of a folder with something that a person approved, all else that is in it. */
function notApproved(path: string): string[] {
  if (isAsApproved(path)) return []
  if (stateOf(path) !== 'a folder' || !holdsApproved(path)) return [path]
  return namesIn(path).flatMap((name) => notApproved(join(path, name)))
}
