import { NotFoundError, ValidationError } from '@svc/core'
import type { CommandContext } from '../context.ts'
import { findId } from '../find-id.ts'
import { saveRun } from '../recording.ts'
import { refuseWords } from '../refuse-words.ts'

/** `svc export [id] <file>`: a run of this folder, the newest where none is named, as a file that `svc replay` goes over anywhere. */
export default async function exportRun(context: CommandContext, words: string[]): Promise<number> {
  refuseWords('export', words, 2)
  const path = words.at(-1)
  if (path === undefined)
    throw new ValidationError('validation_failed', 'svc export needs a new file, such as run.svcrun')
  const { runtime } = await context.start({ needsStore: true })
  try {
    const id = words.length === 2 ? await findId(context, runtime, 'run', words[0]) : await newest(context, runtime)
    await saveRun(runtime, id, path)
    context.print({ id, file: path }, () => `exported ${id} to ${path}`)
    return 0
  } finally {
    await runtime.close()
  }
}

async function newest({ commandOf }: CommandContext, runtime: Parameters<typeof saveRun>[0]): Promise<string> {
  const [run] = (await runtime.runs.list({ limit: 1 })).data
  if (run !== undefined) return run.id
  throw new NotFoundError('run_not_found', `no run is kept here: ${commandOf('run "<task>"')} makes one`)
}
