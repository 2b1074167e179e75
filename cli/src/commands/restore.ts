import { resolve } from 'node:path'
import { restoreStore } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { count } from '../render/one-line.ts'

/** `svc restore <file>`: puts a copy that `svc backup` made in the place of what is kept. */
export default async function restore(context: CommandContext, [word = '']: string[]): Promise<number> {
  const { flags, io } = context
  const file = resolve(flags.cwd ?? '.', word)
  const { runs, bytes, replaced } = restoreStore({ loaded: await context.load(), env: io.env }, file)
  const was = replaced === undefined ? '' : `\nwhat was there is now ${replaced}`
  context.print(
    { file, runs, bytes, ...(replaced !== undefined && { replaced }) },
    () => `restored ${count(runs, 'run')} from ${file}${was}`,
  )
  return 0
}
