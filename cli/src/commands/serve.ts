import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { serveFolder } from '../serve/serve-folder.ts'

/** `svc serve`: the HTTP service over this folder, until a signal. */
export default function serve(context: CommandContext): Promise<number> {
  return serveFolder(context, {
    // Who collects both outputs finds the address in the log.
    onListening: (url, _, isJson) => context.print({ url }, () => (isJson ? '' : toSafe(url))),
  })
}
