import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a file, or the names in a folder, outlive a loss of power, where the system can do that. No database that is open: to
 * close another descriptor of it ends its locks (POSIX, fcntl).
 *
 * @throws what the disk says
 */
export function syncToDisk(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return // Windows opens no folder
  }
  try {
    fsyncSync(descriptor)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
    if (code !== 'EINVAL' && code !== 'EPERM') throw thrown // some file systems sync no folder, Windows nothing that is only read
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Makes a folder that outlives a loss of power, for its owner alone, with all that lead to it. Node's own recursion never
 * ends where the system lets nobody make a folder, as in `/proc`.
 *
 * @returns whether it was not there yet
 */
export function makeFolder(dir: string): boolean {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return false
  const parent = dirname(dir)
  if (parent !== dir) makeFolder(parent)
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (thrown) {
    // Another process may have been faster.
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return false
    throw thrown
  }
  syncToDisk(parent)
  return true
}
