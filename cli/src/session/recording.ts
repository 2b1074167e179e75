import { constants } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isTerminal, type LoadedConfig, type Reach, type Runtime, type ValidationError } from '@svc/core'
import { openCassette, type ReplayedRun, replayRun } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { catchSignals } from '../frame/signals.ts'
import { toRequest } from '../input/run-request.ts'
import { defined } from '../line/given-options.ts'
import { wrong } from '../line/wrong.ts'

/**
 * Says before a run is paid for that its recording cannot be kept.
 *
 * @throws ValidationError for a path where something is, or in a folder where nothing can be written
 */
export async function checkNew(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw cannotWrite(path, 'EEXIST')
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite(path, error.code)
  })
}

/** Writes the run that was made for `--record`; one that goes on elsewhere is recorded when it has ended. */
export async function keepRecording(
  { flags, io, commandOf }: CommandContext,
  runtime: Runtime,
  id: string,
  path: string,
): Promise<void> {
  if (!isTerminal((await runtime.runs.get(id)).status)) {
    io.err(`svc: not recorded, since the run has not ended: ${commandOf(`runs export ${id} ${path}`)} does it then\n`)
    return
  }
  await saveRun(runtime, id, path)
  if (!flags.quiet) io.err(`svc: recorded in ${toSafe(path)}\n`)
}

/** Writes a run into a new file for its owner alone; a file that could not be written whole is removed. */
export async function saveRun(runtime: Runtime, id: string, path: string, reach?: Reach): Promise<void> {
  await runtime.runs.get(id, reach)
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw cannotWrite(path, error.code)
  })
  try {
    for await (const bytes of runtime.runs.export(id, reach)) await file.write(bytes)
    await file.sync()
    await file.close()
  } catch (thrown) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw thrown
  }
}

function cannotWrite(path: string, code = 'unknown'): ValidationError {
  const why = code === 'EEXIST' ? 'is there already: name a new file' : `cannot be written: ${code}`
  return wrong(`${path} ${why}`)
}

/**
 * Goes over a recorded run with the plugins of this folder; what flags set is otherwise than it was.
 *
 * @param given.record a new file for how it went
 */
export async function replayFile(
  context: CommandContext,
  path: string,
  { task, record }: { task?: string | undefined; record?: string | undefined } = {},
): Promise<ReplayedRun> {
  const { flags, io } = context
  const cassette = await openCassette(path, 'strict')
  const loaded: LoadedConfig = await context.load()
  // What may be done and what was asked is not for these flags to change.
  const { approval: _, allowWrites: _a, mode: _m, task: _t, ...asked } = await toRequest('', 'execute', flags, io)
  const changes = { ...asked, ...defined({ task, model: flags.model }) }
  const controller = new AbortController()
  const signals = catchSignals(flags.timeoutMs, (reason) => controller.abort(reason))
  try {
    return await replayRun(cassette, loaded, {
      changes,
      signal: controller.signal,
      ...(record !== undefined && { atEnd: (runtime, id) => keepRecording(context, runtime, id, record) }),
    })
  } finally {
    signals.stop()
  }
}
