import type { ServerResponse } from 'node:http'
import { Semaphore } from '@svc/core/support'

/** Each holds a whole run, which may have many megabytes. */
export const MOST_AT_ONCE = 4
const reads = new Semaphore(MOST_AT_ONCE)

/** Reads runs whole when it is the turn of who asks; who leaves before does not wait on. */
export async function inTurn<Result>(
  response: ServerResponse,
  read: () => Promise<Result>,
  turns: Semaphore = reads,
): Promise<Result> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  await turns.enter(left.signal)
  try {
    return await read()
  } finally {
    setImmediate(() => turns.leave()) // what was read is sent, and others are heard, before the next one reads
  }
}
