import { type Run, type RunCreate, SvcError } from '@svc/core'
import { runIdOfCall } from '@svc/core/schema'
import { askerOf } from '../../keys/runtime-of.ts'
import type { RouteRequest } from '../../routes/route.ts'
import { type StartedRun, startRun } from '../../runs/start-run.ts'
import { type Conversation, toRunCreate } from './conversation.ts'

/** A run that answers a request, and the number of the last event that the client has. */
export interface BegunRun extends StartedRun {
  after: number
}

/**
 * Goes on with the run that waits for the results which a conversation ends with; where there is none any more, a new run
 * is sent the conversation.
 *
 * @param options of a new run
 */
export async function beginRun(
  request: RouteRequest,
  conversation: Conversation,
  options: Partial<RunCreate>,
  deltas: boolean,
): Promise<BegunRun> {
  const resumed = await resumeFor(request, conversation)
  if (resumed !== undefined) return resumed
  await cancelLeft(request, conversation)
  return { ...(await startRun(request, toRunCreate(conversation, options), { deltas })), after: 0 }
}

/** The run that waits for the results which a conversation ends with, and goes on now; undefined where none does. */
export async function resumeFor(
  request: RouteRequest,
  { results }: Pick<Conversation, 'results'>,
): Promise<BegunRun | undefined> {
  const { runs } = request.context.runtime
  const id = runIdOfCall(results[0]?.id ?? '')
  if (id === undefined) return undefined
  const run = await orNothing(runs.get(id))
  const open = new Set((run?.waiting?.calls ?? []).map((call) => call.id))
  if (run === undefined || !results.every((result) => open.has(result.id))) return undefined
  const resumed = await orNothing(runs.resume(id, { results: [...results] }, askerOf(request)))
  return resumed && { run: resumed, after: run.lastSeq, headers: {} }
}

/** A call that the conversation has gone on without is waited for by nobody. */
async function cancelLeft({ context, caller }: RouteRequest, { turns }: Conversation): Promise<void> {
  const call = turns.findLast(({ calls }) => calls !== undefined)?.calls?.at(-1)
  const id = runIdOfCall(call?.callId ?? '')
  if (id === undefined) return
  const { runs } = context.runtime
  const run = await orNothing(runs.get(id))
  if (run?.waiting?.calls?.some((open) => open.id === call?.callId))
    await runs.cancel(id, 'the conversation has gone on without it', caller.name)
}

/** @throws but for what is not there, or was answered meanwhile */
const orNothing = (found: Promise<Run>): Promise<Run | undefined> =>
  found.catch((thrown) => {
    if (SvcError.isInstance(thrown) && ['run_not_found', 'validation_failed'].includes(thrown.code)) return undefined
    throw thrown
  })
