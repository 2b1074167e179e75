import type { RunCreate, RunEvent, Runtime } from '@svc/core'
import { withoutRights } from '@svc/core/recordings'
import { openCassette } from '@svc/plugins'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { readTask } from '../../input/read-task.ts'
import { toRequest } from '../../input/run-request.ts'
import { createProgress } from '../../progress/index.ts'
import { executeRun, followRun } from '../../session/follow-run.ts'
import { keepRecording, replayFile } from '../../session/recording.ts'

/**
 * `svc run --replay <file> [task]`: a run whose calls are answered from a recording; with `--fill` the others are made, and
 * `--record` writes the run as it went this time.
 */
export default async function replay(
  context: CommandContext,
  words: readonly string[],
  path: string,
  fill: boolean,
  record: string | undefined,
): Promise<number> {
  const task = words.length === 0 ? undefined : await readTask(words)
  return fill ? runWith(context, path, task, record) : runFrom(context, path, task, record)
}

/** Shows the run as it went this time; where that is as it was recorded, everything is. */
async function runFrom(
  context: CommandContext,
  path: string,
  task: string | undefined,
  record: string | undefined,
): Promise<number> {
  const { flags, io } = context
  const { runId, events, identical, firstDifference } = await replayFile(context, path, { task, record })
  const past = {
    runs: {
      async *events() {
        yield* events
      },
      wait: async () => ({}),
    },
  } as unknown as Runtime
  const code = await followRun(context, past, runId, createProgress(flags, io), { isDurable: false, isWatched: true })
  if (!flags.quiet) io.err(`svc: ${identical ? 'as it was recorded' : describeDifference(firstDifference)}\n`)
  return code
}

const describeDifference = ([recorded, now]: readonly [number, number] = [0, 0]): string =>
  `other than it was recorded, from event ${now} on (${recorded} of the recording)`

async function runWith(
  context: CommandContext,
  path: string,
  task: string | undefined,
  record: string | undefined,
): Promise<number> {
  const { flags, io } = context
  const cassette = await openCassette(path, 'fill', true)
  const { create } = cassette.recording.row
  // What may be done and read here is not for a file to say: only flags allow it.
  const { approval: _, files: _files, ...recorded } = withoutRights(create)
  const request: RunCreate = { ...recorded, ...(await toRequest(task ?? create.task, 'execute', flags, io)) }
  return context.useOwn({ claims: 'own', cassette }, async (started) => {
    await context.sayWarnings(started.runtime)
    let id: string | undefined
    const onEvent = ({ runId }: RunEvent): string => (id = runId)
    const progress = createProgress(flags, io)
    const code = await executeRun(context, started.runtime, request, progress, { ...started, onEvent })
    const { hits, misses } = cassette.report
    const made = misses.length === 0 ? '' : `; made: ${misses.map(({ site }) => site).join(', ')}`
    if (!flags.quiet) io.err(`svc: ${hits} of ${hits + misses.length} model calls were recorded${toSafe(made)}\n`)
    if (record !== undefined && id !== undefined) await keepRecording(context, started.runtime, id, record)
    return code
  })
}
