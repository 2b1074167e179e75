import type { CommandContext } from '../context.ts'
import { toSafe } from '../io.ts'
import { refuseWords } from '../refuse-words.ts'
import { serveFolder } from '../serve-folder.ts'

/** `svc serve`: the HTTP service over this folder, until a signal. */
export default function serve(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('serve', words, 0)
  return serveFolder(context, { onListening: (url) => context.print({ url }, () => toSafe(url)) })
}
