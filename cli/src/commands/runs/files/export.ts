import { once } from 'node:events'
import { NotFoundError, type Runtime } from '@svc/core'
import type { CommandContext } from '../../../frame/context.ts'
import { toSafeJson } from '../../../frame/io.ts'
import { wrong } from '../../../line/wrong.ts'
import { findId } from '../../../session/find-id.ts'
import { saveRun } from '../../../session/recording.ts'

/** `svc runs export <id>|--last [file]`: the run as JSON Lines, on standard output or in a new file for its owner alone. */
export default function exportRun(context: CommandContext, words: string[]): Promise<number> {
  const { own } = context.flags
  const isLast = own.is('last')
  const [word, path, ...more] = isLast ? [undefined, ...words] : words
  if ((word === undefined) !== isLast || more.length > 0)
    throw wrong(`svc runs export needs the id of a run, or --last: see ${context.commandOf('runs list')}`)
  return context.use({ needsStore: true }, async ({ runtime }) => {
    const id = isLast ? await newest(context, runtime) : await findId(context, runtime, 'run', word)
    if (path === undefined || path === '-') await print(runtime, id, context)
    else {
      await saveRun(runtime, id, path, own.reach)
      context.print({ id, file: path }, () => `exported ${id} to ${path}`)
    }
    return 0
  })
}

async function newest({ flags, commandOf }: CommandContext, runtime: Runtime): Promise<string> {
  const [run] = (await runtime.runs.list({ limit: 1, ...flags.own.reach })).data
  if (run !== undefined) return run.id
  throw new NotFoundError('run_not_found', `no run is kept here: ${commandOf('run "<task>"')} makes one`)
}

async function print(runtime: Runtime, id: string, { flags, io }: CommandContext): Promise<void> {
  for await (const bytes of runtime.runs.export(id, flags.own.reach)) {
    if (io.unread.aborted) return
    // What steers a terminal is an escape there, which changes the file: a pipe gets the bytes as they are.
    const chunk = io.isOutTerminal ? toSafeJson(Buffer.from(bytes).toString()) : bytes
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain', { signal: io.unread }).catch(() => {})
  }
}
