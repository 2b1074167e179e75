import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const SET_ID_BITS = 0o6000

/**
 * Takes the bits off files of a workspace that would give the person's rights to a user who starts it, where a sandbox
 * could not refuse to set them. Others than those changed since are the person's own.
 */
export async function dropSetId(workspace: string, sinceMs: number): Promise<void> {
  for (const entry of await readdir(workspace, { withFileTypes: true }).catch(() => [])) {
    const path = join(workspace, entry.name)
    if (entry.isDirectory()) await dropSetId(path, sinceMs)
    if (!entry.isFile()) continue
    const { mode, ctimeMs } = await lstat(path)
    if ((mode & SET_ID_BITS) === 0 || ctimeMs < sinceMs) continue
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      await file.chmod(mode & 0o777)
    } finally {
      await file.close()
    }
  }
}
