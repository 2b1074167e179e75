import { type ErrorCode, type KeyedRequest, type Run, type RunCreate, ValidationError } from '@svc/core'
import { idempotencyKeyOf, scopeOf } from '../http/request/idempotency.ts'
import { stateOf } from '../http/request/request-state.ts'
import { answerTraceOf } from '../http/request/trace-header.ts'
import { askerOf } from '../keys/runtime-of.ts'
import type { RouteRequest } from '../routes/route.ts'
import type { ServerContext } from '../server-context.ts'

export interface StartedRun {
  run: Run
  /** `Location`, and `Idempotency-Replayed` where an earlier request made the run. */
  headers: Record<string, string>
}

/** What there is to be said of a request for a run, beside what each route says. */
export const START_ERRORS: readonly ErrorCode[] = [
  'budget_too_small',
  'thread_not_found',
  'agent_not_found',
  'model_not_found',
  'queue_full',
  'too_many_streams',
]

/** Makes a run, or joins the one that was made under the same key. */
export async function startRun(
  request: RouteRequest,
  create: RunCreate,
  { deltas = true }: { deltas?: boolean } = {},
): Promise<StartedRun> {
  const { context, holder, response } = request
  const { runtime, heldRequests } = context
  assertTaskLength(create, context)
  const { bodyBytes = 0 } = stateOf(response)
  heldRequests.assertRoom(holder, bodyBytes)
  const started = await keyed(request, (key) => runtime.runs.create(create, { ...key, deltas }))
  heldRequests.add(started.run.id, holder, bodyBytes)
  return started
}

/** @throws ValidationError naming `task`, where it is longer than this server takes */
export function assertTaskLength({ task }: Pick<RunCreate, 'task'>, { limits }: ServerContext): void {
  const { taskChars } = limits
  if (task.length <= taskChars) return
  const message = `must have at most ${taskChars} characters, this has ${task.length}`
  throw new ValidationError('validation_failed', `task: ${message}`, { errors: [{ path: '/task', message }] })
}

/** Hands the key of a request on, and says whether the answer is that of an earlier one. */
export async function keyed(request: RouteRequest, make: (key: KeyedRequest) => Promise<Run>): Promise<StartedRun> {
  const idempotencyKey = idempotencyKeyOf(request)
  const { traceparent } = request.message.headers
  let isReplayed = false
  const run = await make({
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    idempotencyScope: scopeOf(request),
    ...askerOf(request),
    ...(typeof traceparent === 'string' && { traceparent }),
    onReplayed: () => {
      isReplayed = true
    },
  })
  stateOf(request.response).run = run.id
  if (!isReplayed) answerTraceOf(run, request.message, request.response)
  const location = { Location: `/v1/runs/${run.id}` }
  return { run, headers: isReplayed ? { ...location, 'Idempotency-Replayed': 'true' } : location }
}
