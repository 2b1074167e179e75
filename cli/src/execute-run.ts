import { ConflictError, type Run, type RunCreate, type Runtime } from '@svc/core'
import type { CommandContext } from './context.ts'
import { type FollowOptions, followRun } from './follow-run.ts'
import type { Progress } from './progress/progress.ts'

/**
 * Starts a run, says its id on standard error, and shows it until it ends.
 *
 * @returns the exit code
 * @throws ConflictError `run_active`
 */
export async function executeRun(
  context: CommandContext,
  runtime: Runtime,
  request: RunCreate,
  progress: Progress,
  options: FollowOptions,
): Promise<number> {
  const { id } = await startRun(context, runtime, request)
  sayRun(context, id)
  return followRun(context, runtime, id, progress, options)
}

/**
 * Runs of a thread are worked on one after the other: one that was left behind would keep the new one waiting.
 *
 * @throws ConflictError `run_active` where an unfinished run that nobody works on stands before it in its thread
 */
export async function startRun({ commandOf }: CommandContext, runtime: Runtime, request: RunCreate): Promise<Run> {
  const { threadId } = request
  const [run] = threadId === undefined ? [] : (await runtime.runs.list({ threadId, left: true, limit: 1 })).data
  if (run === undefined) return runtime.runs.create(request)
  throw new ConflictError(
    'run_active',
    `${threadId} has an unfinished run ${run.id} (${run.status}): ${commandOf(`runs resume ${run.id}`)} goes on with it, ${commandOf(`runs cancel ${run.id}`)} ends it`,
  )
}

/** Says which run is shown, for who wants to come back to it. */
export function sayRun({ flags, io }: CommandContext, id: string, from = ''): void {
  if (!flags.quiet && flags.output !== 'stream-json') io.err(`${io.paint.dim(`svc: ${id}${from}`)}\n`)
}
