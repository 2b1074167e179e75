import type { RunEvent } from '../../../contracts/log/event.ts'
import type { Store } from '../../../contracts/store/store.ts'
import { SvcError } from '../../../errors.ts'

/**
 * The events of a run after a number; of a damaged log those before the damage.
 *
 * @throws RunError `log_corrupt` where not even the first event can be read
 */
export async function listReadable(
  store: Pick<Store, 'events'>,
  runId: string,
  after = 0,
): Promise<{ events: readonly RunEvent[]; isWhole: boolean }> {
  try {
    return { events: await store.events.list(runId, { after }), isWhole: true }
  } catch (thrown) {
    if (!SvcError.isInstance(thrown) || thrown.code !== 'log_corrupt') throw thrown
    const events = await store.events.list(runId, { after, upToDamage: true })
    if (after === 0 && events.length === 0) throw thrown
    return { events, isWhole: false }
  }
}
