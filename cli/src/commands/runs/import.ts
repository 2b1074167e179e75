import { createReadStream, statSync } from 'node:fs'
import { ValidationError } from '@svc/core'
import type { CommandContext } from '../../context.ts'
import { refuseWords } from '../../refuse-words.ts'

/** `svc runs import <file|->`: puts an exported run beside the others. */
export default async function importRun(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('runs import', words, 1)
  const [path] = words
  if (path === undefined)
    throw new ValidationError('validation_failed', 'svc runs import needs a file, or - for standard input')
  if (context.server !== undefined)
    throw new ValidationError(
      'validation_failed',
      'svc runs import: a server takes in no exported runs: import it on the machine of the server',
    )
  const { runtime } = await context.start({ needsStore: true })
  try {
    const run = await runtime.runs.import(path === '-' ? process.stdin : bytesOf(path))
    context.print(run, () => `imported ${run.id}, ${run.status}`)
    return 0
  } finally {
    await runtime.close()
  }
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    if (statSync(path).isFile()) return yield* createReadStream(path)
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    throw new ValidationError('validation_failed', `${path} cannot be read: ${code ?? message}`)
  }
  throw new ValidationError('validation_failed', `${path} is not a regular file; - reads standard input`)
}
