import { resolve } from 'node:path'
import { describeBytes } from '@svc/core/text'
import { backUpStore } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { count } from '../render/one-line.ts'

/** `svc backup <file>`: copies what is kept of runs, also while they are at work. */
export default async function backup(context: CommandContext, [word = '']: string[]): Promise<number> {
  const { flags, io } = context
  const file = resolve(flags.cwd ?? '.', word)
  const sources = { loaded: await context.load(), env: io.env }
  const { runs, bytes } = backUpStore(sources, file, { isForced: flags.own.is('force') })
  context.print({ file, runs, bytes }, () => `copied ${count(runs, 'run')}, ${describeBytes(bytes)}, to ${file}`)
  return 0
}
