import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../files/workspace.ts'
import { isClosedFolder, readFolder } from './kept-files.ts'
import type { Mount } from './view.ts'

/** A search for sockets looks into no more folders than this. */
const MOST_FOLDERS = 5_000
/** Large folders of files alone; a socket there is still found by the system's own list. */
const PASSED_OVER = new Set(['node_modules', 'objects'])

/** Sockets in the file system: a program that sees one speaks to the program behind it, whatever network there is. */
export interface FoundSockets {
  /** Absolute paths of those that the mounts would show. */
  readonly paths: readonly string[]
  /** Whether all folders were looked into. */
  readonly isComplete: boolean
}

export function findSockets(workspace: string, mounts: readonly Mount[]): FoundSockets {
  const { paths, isComplete } = walk(workspace)
  const isShown = (path: string): boolean => {
    const kind = mounts.findLast((mount) => isInside(mount.path, path))?.kind
    return kind === 'read' || kind === 'write'
  }
  // the system's own list names those of every user
  const bound = boundPaths().filter((path) => isShown(path) && isSocket(path))
  return { paths: [...new Set([...paths.filter(isShown), ...bound])], isComplete }
}

function walk(workspace: string): FoundSockets {
  const paths: string[] = []
  const open = [workspace]
  let looked = 0
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (++looked > MOST_FOLDERS) return { paths, isComplete: false }
    const entries = readFolder(folder)
    if (entries.length === 0 && isClosedFolder(folder)) return { paths, isComplete: false }
    for (const entry of entries) {
      if (entry.isSocket()) paths.push(join(folder, entry.name))
      else if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) open.push(join(folder, entry.name))
    }
  }
  return { paths, isComplete: true }
}

/** Absolute paths that programs of this machine listen at. */
function boundPaths(): string[] {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
  return lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? [])
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket()
  } catch {
    return false // it is gone, or out of the person's reach
  }
}
