import type { RunEvent } from '@svc/core'

export const RETRY = Buffer.from('retry: 2000\n\n')
export const KEEP_ALIVE = Buffer.from(': ka\n\n')
export const END = Buffer.from('event: end\ndata: {}\n\n')

/** What an event's name looks like; another one would be a line of its own in the stream. */
const TYPE = /^[a-z]+(\.[a-z]+)*$/

/**
 * An event as a stream sends it: JSON has no line break of its own, so the data is one line whatever it says.
 *
 * @param hasId false: a reader does not go on from here
 */
export function toFrame(event: RunEvent, hasId = true): Buffer {
  const id = hasId && event.seq !== undefined ? `id: ${event.seq}\n` : ''
  const type = TYPE.test(event.type) ? `event: ${event.type}\n` : ''
  return Buffer.from(`${id}${type}data: ${JSON.stringify(event)}\n\n`)
}
