import { createReadStream, statSync } from 'node:fs'
import type { CommandContext } from '../../../frame/context.ts'
import { wrong } from '../../../line/wrong.ts'

/** `svc runs import <file|->`: puts an exported run beside the others. */
export default function importRun(context: CommandContext, [path = '']: string[]): Promise<number> {
  if (context.server !== undefined)
    throw wrong('svc runs import: a server takes in no exported runs: import it on the machine of the server')
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const run = await runtime.runs.import(path === '-' ? process.stdin : bytesOf(path))
    context.print(run, () => `imported ${run.id}, ${run.status}`)
    return 0
  })
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    if (statSync(path).isFile()) return yield* createReadStream(path)
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    throw wrong(`${path} cannot be read: ${code ?? message}`)
  }
  throw wrong(`${path} is not a regular file; - reads standard input`)
}
