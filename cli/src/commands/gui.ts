import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { refuseWords } from '../refuse-words.ts'
import { serveFolder } from '../serve-folder.ts'

/** `svc gui`: the HTTP service over this folder with its web console, which is opened in a browser. */
export default function gui(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('gui', words, 0)
  const { flags, io } = context
  return serveFolder(context, {
    settings: { console: true },
    async onListening(server) {
      // A server that listens on every address is opened by the one that is always there.
      const url = `${server.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')}/console/`
      context.print({ url }, () => toSafe(url))
      if (flags.rest.noOpen === true || !io.isInteractive) return
      const { default: open } = await import('open')
      const browser = await open(url).catch(() => undefined)
      // Where there is no browser to be found, the address is there to be read.
      browser?.once('error', () => {})
      browser?.unref()
    },
  })
}
