import { once } from 'node:events'
import type { Runtime } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { findId } from '../../find-id.ts'
import { toSafeJson } from '../../io.ts'
import { saveRun } from '../../recording.ts'
import { refuseWords } from '../../refuse-words.ts'

/** `svc runs export <id> [file]`: the run as JSON Lines, on standard output or in a new file for its owner alone. */
export default async function exportRun(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs export', words, 2)
  const [word, path] = words
  const { runtime } = await context.start({ needsStore: true })
  try {
    const id = await findId(context, runtime, 'run', word)
    if (path === undefined || path === '-') await print(runtime, id, context)
    else {
      await saveRun(runtime, id, path)
      context.print({ id, file: path }, () => `exported ${id} to ${path}`)
    }
    return 0
  } finally {
    await runtime.close()
  }
}

async function print(runtime: Runtime, id: string, { io }: CommandContext): Promise<void> {
  for await (const bytes of runtime.runs.export(id)) {
    if (io.unread.aborted) return
    // What steers a terminal is an escape there, which changes the file: a pipe gets the bytes as they are.
    const chunk = io.isOutTerminal ? toSafeJson(Buffer.from(bytes).toString()) : bytes
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain', { signal: io.unread }).catch(() => {})
  }
}
