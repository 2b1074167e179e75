import { SEARCH_PLACES } from '@svc/core/config'
import type { CommandContext } from '../../frame/context.ts'
import { describeFiles } from '../../render/config-files.ts'

/** `svc config path`: in which files does it stand? */
export default async function path(context: CommandContext): Promise<number> {
  const loaded = await context.load()
  const { files, skipped } = loaded
  context.print({ files, skipped, searched: SEARCH_PLACES }, () => {
    if (files.length > 0) return files.join('\n')
    return skipped.length > 0 ? describeFiles(loaded) : `no config file: looked for ${SEARCH_PLACES.join(', ')}`
  })
  return 0
}
