import type { Reach, Run } from '@svc/core/client'
import { isTerminal } from '@svc/core/client'
import type { Listeners } from '../events/listeners.ts'
import type { HttpClient } from '../http-client.ts'

/** How long one request waits: proxies cut what is silent for a minute. */
const LONGEST_WAIT_MS = 30_000

/**
 * Resolves when a run is terminal or waits for a person, or after `ms`; also over a restart of the server.
 *
 * @throws ConnectionError where the server stays away for longer than the client's patience
 */
export async function waitForRun(
  http: HttpClient,
  listeners: Listeners,
  id: string,
  ms = Infinity,
  reach: Reach = {},
): Promise<Run> {
  const untilMs = Date.now() + ms
  for (;;) {
    // A run whose events come anyway needs no second connection that waits.
    const change = listeners.change(id)
    const leftMs = Math.max(0, untilMs - Date.now())
    const waitMs = change === undefined ? Math.min(LONGEST_WAIT_MS, leftMs) : 0
    const run = await http.json<Run>('GET', `/v1/runs/${encodeURIComponent(id)}`, {
      query: { include: 'result', ...reach, ...(waitMs > 0 && { wait: waitMs }) },
      waitMs,
      isPatient: true,
    })
    if (isTerminal(run.status) || run.status === 'waiting' || Date.now() >= untilMs) return run
    if (change !== undefined) await Promise.race([change, http.sleep(Math.min(LONGEST_WAIT_MS, leftMs))])
  }
}
