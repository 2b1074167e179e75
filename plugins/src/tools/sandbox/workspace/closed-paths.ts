import { homedir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { ClosedPaths } from '@svc/core'
import { isInside, realOf } from '../../files/workspace.ts'
import { readFolder } from './on-disk.ts'

/** A search for closed paths looks at no more entries than this. */
const MOST_ENTRIES = 200_000
/** What a rule would have to cover to cover whatever a folder holds, now and later. */
const ANY_NAME = 'svc-any-name'

/**
 * The files and folders of a workspace that rules close, so that they can be hidden from a program. Of a folder that is
 * closed whole, the folder alone.
 *
 * @param workspace absolute path with links resolved
 * @returns absolute paths with links resolved; undefined where there is too much to look through
 */
export function findClosed(workspace: string, closed: ClosedPaths): string[] | undefined {
  const search: Search = { workspace, closed, found: new Set(), left: MOST_ENTRIES }
  for (const glob of closed.globs) {
    const star = glob.indexOf('*')
    // without a star it is a path; else whatever matches begins with what stands before the first one
    const known = (star < 0 ? glob : glob.slice(0, star)).replace(/^~(?=\/|$)/, () => homedir())
    const path = resolve(workspace, known)
    if (star < 0) look(search, path)
    else {
      const folder = known === '' || known.endsWith('/') ? path : dirname(path)
      look(search, isInside(workspace, folder) ? folder : workspace)
    }
    if (search.left <= 0) return undefined
  }
  return [...search.found]
}

interface Search {
  readonly workspace: string
  readonly closed: ClosedPaths
  readonly found: Set<string>
  left: number
}

function look(search: Search, path: string): void {
  const { workspace, closed, found } = search
  const isClosed = (one: string): boolean => closed.has(relative(workspace, one).split(sep).join('/') || '.')
  const real = realOf(path)
  if (!isInside(workspace, real)) return
  if (isClosed(path) || isClosed(real) || isClosed(join(real, ANY_NAME))) {
    found.add(real)
    return
  }
  const entries = readFolder(real)
  // what cannot be looked into may hold what is closed, and a program could open it up
  if (entries === undefined) found.add(real)
  for (const { name, is } of entries ?? []) {
    if (--search.left <= 0) return
    const inner = join(real, name)
    if (is.isDirectory()) look(search, inner)
    else if (isClosed(inner) || (is.isSymbolicLink() && isClosed(realOf(inner)))) {
      if (isInside(workspace, realOf(inner))) found.add(realOf(inner))
    }
  }
}
