import { lstatSync } from 'node:fs'
import { isInside } from '../../files/workspace.ts'
import type { Mount } from '../view.ts'
import { linesOfProc, textOf, toPath } from './on-disk.ts'

/**
 * Sockets in the file system that mounts would show: a program that sees one speaks to the program behind it, whatever network
 * there is.
 *
 * @param known in the workspace
 */
export function shownSockets(known: readonly string[], mounts: readonly Mount[]): string[] {
  const isShown = (path: string): boolean => {
    const kind = mounts.findLast((mount) => isInside(mount.path, path))?.kind
    return kind === 'read' || kind === 'write'
  }
  // the system's own list names those of every user, also outside of the workspace
  return [...new Set([...known.filter(isShown), ...boundPaths().filter((path) => isShown(path) && isSocket(path))])]
}

/** Absolute paths that programs of this machine listen at. */
function boundPaths(): string[] {
  return linesOfProc('/proc/net/unix').flatMap((line) => {
    const path = /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1]
    return path === undefined ? [] : [textOf(Buffer.from(path, 'latin1'))]
  })
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(toPath(path)).isSocket()
  } catch {
    return false // it is gone, or out of the person's reach
  }
}
