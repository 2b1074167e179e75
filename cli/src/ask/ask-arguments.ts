import { toShownText } from '@svc/core/client'
import { type Io, toSafe } from '../frame/io.ts'
import { editText, ownEditor } from './own-editor.ts'
import { askLine } from './prompt.ts'

/**
 * Lets the person change the arguments, in their editor where they have one.
 *
 * @param folder whose programs are not to be taken for the editor
 * @returns undefined for what is no change
 */
export async function askArguments(args: unknown, folder: string, io: Io, signal: AbortSignal): Promise<unknown> {
  const editor = ownEditor(io.env)
  const text =
    editor === ''
      ? await askHere(JSON.stringify(args), io, signal)
      : await editText(editor, `${JSON.stringify(args, null, 2)}\n`, { name: 'arguments.json', folder })
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
