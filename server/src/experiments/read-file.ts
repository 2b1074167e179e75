import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'

/**
 * A regular file of bounded size, no part of whose path is a link.
 *
 * @param path absolute, without links up to the folder of experiments
 * @returns undefined where there is none such
 */
export async function readPlainFile(
  path: string,
  mostBytes: number,
): Promise<{ text: string; changedAt: Date } | undefined> {
  try {
    if ((await realpath(path)) !== path) return undefined
    // A pipe is not waited for.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile() || found.size > mostBytes) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0)
      return { text: buffer.toString('utf8', 0, bytesRead), changedAt: found.mtime }
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
