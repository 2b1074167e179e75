import { closeSync, constants, fchmodSync, lstatSync, openSync } from 'node:fs'
import { toPath } from './on-disk.ts'

const SET_ID_BITS = 0o6000

/**
 * Takes the bits off a file that would give the person's rights to a user who starts it, where a sandbox could not refuse to
 * set them. Others than those changed since are the person's own.
 */
export function dropSetId(file: string, sinceMs: number): void {
  const path = toPath(file)
  const { mode, ctimeMs } = lstatSync(path)
  if ((mode & SET_ID_BITS) === 0 || ctimeMs < sinceMs) return
  const opened = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    fchmodSync(opened, mode & 0o777)
  } finally {
    closeSync(opened)
  }
}
