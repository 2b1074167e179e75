import { idempotencyKeyOf, scopeOf } from '../../../http/request/idempotency.ts'
import { stateOf } from '../../../http/request/request-state.ts'
import { isAdmin } from '../../../keys/caller.ts'
import { askerOf } from '../../../keys/runtime-of.ts'
import { assertTakesNewWork } from '../../../readiness.ts'
import type { RouteRequest } from '../../../routes/route.ts'
import { assertTaskLength } from '../../../runs/start-run.ts'
import type { McpHost } from '../host.ts'
import type { Unanswered } from '../run/unanswered.ts'

/** The caller of an HTTP request. */
export function hostOfRequest(request: RouteRequest, era: 'legacy' | 'modern', unanswered: Unanswered): McpHost {
  const { caller, context, message, response } = request
  const { runtime, waiters } = context
  const asker = askerOf(request)
  return {
    runtime,
    asker,
    unanswered,
    // Nobody without that answers for a run of its own.
    mayDecide: isAdmin(caller),
    // From 2026-07-28 on a call is cancelled by leaving, which `attach` hears; before, by a message.
    endsWithSignal: era === 'legacy',
    attach: (run) => waiters.add(run, response, 'cancel'),
    cancel(runId) {
      runtime.runs.cancel(runId, 'the client cancelled the call', caller.name).catch(() => {}) // it has ended, or the store is gone
    },
    onError: (thrown) => {
      stateOf(response).failure = thrown
    },
    async create(create, traceparent = message.headers.traceparent as string | undefined) {
      assertTakesNewWork(context)
      assertTaskLength(create, context)
      const idempotencyKey = idempotencyKeyOf(request)
      return runtime.runs.create(create, {
        ...asker,
        idempotencyScope: scopeOf(request),
        deltas: false,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(traceparent !== undefined && { traceparent }),
      })
    },
  }
}
