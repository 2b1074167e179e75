import { type StdioOptions, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOutside } from '@svc/core/support'
import type { Io } from '../frame/io.ts'
import { holdOutput } from '../terminal/hold-output.ts'

interface EditOptions {
  /** Of the file that the editor gets: what ends its name says what it is. */
  name: string
  /** Its programs are not to be taken for the editor. */
  folder: string
}

/** The person's own editor, with its arguments; empty where none is set. */
export const ownEditor = ({ VISUAL, EDITOR }: Io['env']): string => VISUAL || EDITOR || ''

/** What an editor makes of a text; undefined where it cannot be started, or fails. */
export async function editText(
  editor: string,
  text: string,
  { name, folder }: EditOptions,
): Promise<string | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-edit-'))
  const file = join(scratch, name)
  try {
    await writeFile(file, text, { mode: 0o600 })
    const run = new Promise<number | null>((resolve) => {
      const env = { ...process.env, PATH: pathOutside(folder, process.env.PATH) }
      const stdio: StdioOptions = [0, 2, 2]
      const child =
        process.platform === 'win32'
          ? spawn(`${editor} "${file}"`, { stdio, env, shell: true })
          : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio, env })
      child.on('error', () => resolve(1))
      child.on('close', resolve)
    })
    const code = await holdOutput(() => run)
    return code === 0 ? await readFile(file, 'utf8') : undefined
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
