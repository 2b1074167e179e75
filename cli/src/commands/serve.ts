import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { serveFolder } from '../serve/serve-folder.ts'

/** `svc serve`: the HTTP service over this folder, until a signal. */
export default function serve(context: CommandContext): Promise<number> {
  return serveFolder(context, { onListening: (url) => context.print({ url }, () => toSafe(url)) })
}
