/** What an event's name looks like; another one would be a line of its own in the stream. */
const TYPE = /^[a-z]+(\.[a-z]+)*$/

/** The last frame of a stream whose run has ended. */
export const END_FRAME = 'event: end\ndata: {}\n\n'
/** Says nothing, so that no proxy takes the connection for dead. */
export const KEEP_ALIVE_FRAME = ': ka\n\n'
export const KEEP_ALIVE_MS = 15_000

/** Headers of a stream of server-sent events, which nothing on its way holds back. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

/**
 * An event as a stream of server-sent events has it: JSON has no line break of its own, so the data is one line whatever it
 * says. A kept event has its number as `id`.
 *
 * @param data the event as JSON
 */
export function toEventFrame({ type, seq }: { type: string; seq?: number }, data: string): string {
  const id = seq === undefined ? '' : `id: ${seq}\n`
  return `${id}${TYPE.test(type) ? `event: ${type}\n` : ''}data: ${data}\n\n`
}
