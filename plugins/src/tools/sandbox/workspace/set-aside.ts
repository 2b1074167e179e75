import { randomBytes } from 'node:crypto'
import { chmod, lstat, rename } from 'node:fs/promises'
import { ToolError } from '@svc/core'
import { codeOf, show } from '../../files/file-errors.ts'
import { bytesOf } from './on-disk.ts'

/** Of one name, on the file systems that are common. */
const NAME_BYTES = 255
const SLASH = 0x2f

/**
 * Gives files that svc or git would read, and that a program made, another name: each by itself, so that none saves the others.
 *
 * @param paths absolute
 * @throws ToolError `tool_failed` where one stays
 */
export async function setAside(
  workspace: string,
  paths: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const left: string[] = []
  for (const path of paths.map(bytesOf)) {
    const mark = Buffer.from(`.set-aside-${randomBytes(3).toString('hex')}`)
    const start = path.lastIndexOf(SLASH) + 1
    const aside = Buffer.concat([path.subarray(0, start + NAME_BYTES - mark.length), mark])
    const [name, newName] = [path, aside].map((one) => one.toString().slice(workspace.length + 1)) as [string, string]
    try {
      await renameIn(path.subarray(0, start), path, aside)
      say(`\nsvc: a program made ${name}, which decides what is run; it is ${newName} now\n`)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') left.push(`${show(name)} (${codeOf(error)})`)
    }
  }
  if (left.length === 0) return
  throw new ToolError(
    'tool_failed',
    `the program made what decides what is run, and it could not be renamed: ${left.join(', ')}. Remove it before anything is run here`,
  )
}

/** A folder that may not be written to keeps nothing in its place. */
async function renameIn(folder: Buffer, path: Buffer, aside: Buffer): Promise<void> {
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    const { mode } = await lstat(folder)
    await chmod(folder, mode | 0o700)
    await rename(path, aside).finally(() => chmod(folder, mode))
  }
}
