import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { serveFolder } from '../serve/serve-folder.ts'

/** `svc gui`: the HTTP service over this folder with its web console, which is opened in a browser. */
export default function gui(context: CommandContext): Promise<number> {
  const { flags, io } = context
  return serveFolder(context, {
    settings: { console: true },
    async onListening(_, consoleLink) {
      const link = consoleLink()
      const [url = ''] = link.split('#')
      context.print({ url }, () => toSafe(url))
      if (flags.own.isOff('open') || !io.isInteractive) return
      const { default: open } = await import('open')
      const browser = await open(link).catch(() => undefined)
      // Where there is no browser to be found, the address is there to be read.
      browser?.once('error', () => {})
      browser?.unref()
    },
  })
}
