import { CapacityError, type Health } from '@svc/core'
import type { ServerContext } from './server-context.ts'

/** Older than that, a queued run says that nobody works on what is asked for. */
const QUEUE_SECONDS = 300

/** What new work needs, each `ok` or what is wrong with it. */
export async function readinessOf({ store, isDraining }: ServerContext): Promise<Record<string, string>> {
  return { store: await store.state(), draining: isDraining ? 'the server is about to end' : 'ok' }
}

/** What runs need beyond being taken in, each `ok` or what is wrong with it: requests are answered all the same. */
export async function concernsOf(
  { store, providers }: ServerContext,
  { provider, checks }: Health,
): Promise<Record<string, string>> {
  const age = await store.queueAge()
  const isLate = age !== undefined && age > QUEUE_SECONDS
  return {
    provider: checks?.provider ?? providers.stateOf(provider),
    queue: isLate ? `the oldest run has waited for ${Math.round(age)} s` : 'ok',
  }
}

/** @throws CapacityError `shutting_down` where the server takes no new work */
export function assertTakesNewWork({ isDraining }: Pick<ServerContext, 'isDraining'>): void {
  if (!isDraining) return
  throw new CapacityError('shutting_down', 'the server is about to end and takes no new work', {
    details: { retryAfterSeconds: 5 },
  })
}
