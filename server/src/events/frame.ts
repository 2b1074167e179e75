import type { RunEvent } from '@svc/core'
import { END_FRAME, KEEP_ALIVE_FRAME, toEventFrame } from '@svc/core/client'
import { beginningOf, toJson } from './to-json.ts'

export const RETRY = Buffer.from('retry: 2000\n\n')
export const KEEP_ALIVE = Buffer.from(KEEP_ALIVE_FRAME)
export const END = Buffer.from(END_FRAME)

/** What a character takes in JSON at most. */
const CHARACTER_BYTES = 6

/**
 * An event as a stream sends it.
 *
 * @param maxBytes of the JSON: the texts of a longer event are cut, and text on its way is sent as several events
 * @param hasId false: a reader does not go on from here
 */
export function toFrame(event: RunEvent, maxBytes: number, hasId = true): Buffer {
  const pieces = toPieces(event, Math.ceil(maxBytes / CHARACTER_BYTES))
  if (pieces !== undefined)
    return Buffer.from(pieces.map((piece) => toEventFrame(piece, JSON.stringify(piece))).join(''))
  return Buffer.from(toEventFrame(hasId ? event : { type: event.type }, toJson(event, maxBytes)))
}

/** Long text on its way in several events that say the same; undefined for any other event. */
function toPieces(event: RunEvent, length: number): RunEvent[] | undefined {
  const text =
    event.type === 'message.snapshot'
      ? event.data.textSoFar
      : event.type === 'message.delta' || event.type === 'reasoning.delta'
        ? event.data.text
        : ''
  if (text.length <= length) return undefined
  const pieces: RunEvent[] = []
  for (let at = 0; at < text.length; ) {
    const piece = beginningOf(text.slice(at, at + length + 1), length)
    const isSnapshot = event.type === 'message.snapshot' && at === 0
    pieces.push(
      isSnapshot
        ? { ...event, data: { textSoFar: piece } }
        : ({
            ...event,
            type: event.type === 'reasoning.delta' ? event.type : 'message.delta',
            data: { text: piece },
          } as RunEvent),
    )
    at += piece.length
  }
  return pieces
}
