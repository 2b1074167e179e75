import { type StdioOptions, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toShownText } from '@svc/core/client'
import { pathOutside } from '@svc/core/support'
import { type Io, toSafe } from '../frame/io.ts'
import { askLine } from './prompt.ts'

/**
 * Lets the person change the arguments, in their editor where they have one.
 *
 * @param folder whose programs are not to be taken for the editor
 * @returns undefined for what is no change
 */
export async function askArguments(args: unknown, folder: string, io: Io, signal: AbortSignal): Promise<unknown> {
  const editor = io.env.VISUAL || io.env.EDITOR || ''
  const text =
    editor === ''
      ? await askHere(JSON.stringify(args), io, signal)
      : await edit(editor, pathOutside(folder, io.env.PATH), `${JSON.stringify(args, null, 2)}\n`)
  if (text === undefined || text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (thrown) {
    io.err(toSafe(`These arguments are not JSON: ${(thrown as Error).message}\n`))
    return undefined
  }
}

/** The text, to be changed; on a plain terminal, where nothing can stand there, to be written anew. */
function askHere(text: string, io: Io, signal: AbortSignal): Promise<string | undefined> {
  if (io.isPlain) io.show(`${toShownText(io.redact(text))}\nEnter alone leaves them as they are.\n`)
  return askLine(io, 'Arguments: ', signal, text)
}

/** What an editor, with its own arguments, makes of a text; undefined where it fails. */
async function edit(editor: string, path: string, text: string): Promise<string | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-edit-'))
  const file = join(scratch, 'arguments.json')
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await new Promise<number | null>((resolve) => {
      const env = { ...process.env, PATH: path }
      const stdio: StdioOptions = [0, 2, 2]
      const child =
        process.platform === 'win32'
          ? spawn(`${editor} "${file}"`, { stdio, env, shell: true })
          : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio, env })
      child.on('error', () => resolve(1))
      child.on('close', resolve)
    })
    return code === 0 ? await readFile(file, 'utf8') : undefined
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
