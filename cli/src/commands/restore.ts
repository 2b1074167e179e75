import { resolve } from 'node:path'
import { chooseAuditDir, localCaller, openAuditLog, restoreStore, spaceOf } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { count } from '../render/one-line.ts'

/** `svc restore <file>`: puts a copy that `svc backup` made in the place of what is kept. */
export default async function restore(context: CommandContext, [word = '']: string[]): Promise<number> {
  const { flags, io } = context
  const file = resolve(flags.cwd ?? '.', word)
  const sources = { loaded: await context.load(), env: io.env }
  const dir = chooseAuditDir(true, sources.loaded, io.env)
  if (dir !== undefined)
    openAuditLog(dir)({
      what: 'store.restored',
      ...localCaller('command line'),
      folder: spaceOf(sources.loaded),
      details: { file },
    })
  const { runs, bytes, replaced } = restoreStore(sources, file)
  const was = replaced === undefined ? '' : `\nwhat was there is now ${replaced}`
  context.print(
    { file, runs, bytes, ...(replaced !== undefined && { replaced }) },
    () => `restored ${count(runs, 'run')} from ${file}${was}`,
  )
  return 0
}
