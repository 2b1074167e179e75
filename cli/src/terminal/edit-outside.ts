import { type StdioOptions, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOutside } from '@svc/core/support'
import { type Io, toSafe } from '../frame/io.ts'

/** What a shell says of a program that is not there. */
const NOT_FOUND = 127

/**
 * Lets a person change a text with their own editor.
 *
 * @param editor a command, with arguments of its own
 * @param name of the file that it is handed
 * @param folder whose programs are not to be taken for the editor
 * @returns undefined where the editor could not be started, or ended with a code that is not 0
 */
export async function editOutside(
  text: string,
  editor: string,
  name: string,
  folder: string,
  io: Io,
): Promise<string | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-edit-'))
  const file = join(scratch, name)
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await new Promise<number | null>((resolve) => {
      const env = { ...process.env, PATH: pathOutside(folder, io.env.PATH) }
      const stdio: StdioOptions = [0, 2, 2]
      const child =
        process.platform === 'win32'
          ? spawn(`${editor} "${file}"`, { stdio, env, shell: true })
          : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio, env })
      child.on('error', () => resolve(NOT_FOUND))
      child.on('close', resolve)
    })
    if (code === 0) return await readFile(file, 'utf8')
    const why = code === NOT_FOUND ? 'cannot be started: set EDITOR to one that is installed' : 'failed'
    io.err(`${io.paint.red('svc:')} ${toSafe(`the editor ${editor} ${why}`)}\n`)
    return undefined
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
