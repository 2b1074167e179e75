import type { Detector } from '../detector.ts'

const MOST_PIECES = 3
/** Rulers, tables and padding repeat legitimately. */
const LEAST_DISTINCT_CHARS = 8

interface Stream {
  text: string
  /** Characters since the last look. */
  fresh: number
}

/**
 * A model that streams the same piece of text over and over (after the loop detection of gemini-cli).
 *
 * Looks once per `chunkGapChars` characters: does the newest chunk occur `chunkRepeats` times in the text kept, with the same
 * text between?
 */
export const chunkLoop: Detector = {
  code: 'chunk-loop',
  mast: '1.3',
  on: ['message.delta', 'message.completed'],
  watch(_facts, { chunkChars, chunkRepeats, chunkGapChars }) {
    const streams = new Map<string, Stream>()
    const keptChars = chunkChars + chunkRepeats * chunkGapChars
    return (event) => {
      const { agentId = '', callId = '', stepId } = event
      if (event.type === 'message.completed') {
        streams.delete(callId)
        return undefined
      }
      if (event.type !== 'message.delta') return undefined
      let stream = streams.get(callId)
      if (stream === undefined) {
        stream = { text: '', fresh: 0 }
        streams.set(callId, stream)
      }
      stream.text += event.data.text
      stream.fresh += event.data.text.length
      if (stream.fresh < chunkGapChars) return undefined
      stream.fresh = 0
      if (stream.text.length > keptChars) stream.text = stream.text.slice(-keptChars)
      const chunk = stream.text.slice(-chunkChars)
      if (!repeats(stream.text, chunk, chunkRepeats, chunkGapChars)) return undefined
      return {
        subject: `${agentId}|${callId}`,
        severity: 'critical',
        message: `${agentId} writes the same text again and again: "${chunk.replace(/\s+/g, ' ')}"`,
        fix: 'Do not repeat the text; finish the answer.',
        action: 'nudge',
        agentId: event.agentId,
        stepId,
      }
    }
  },
}

/** Whether the last chunk of a text occurs so often, with few different pieces between, of at most `gapChars` on average. */
function repeats(text: string, chunk: string, times: number, gapChars: number): boolean {
  const last = text.length - chunk.length
  const pieces = new Set<string>()
  let place = last
  for (let found = 1; found < times; found++) {
    const before = place === 0 ? -1 : text.lastIndexOf(chunk, place - 1)
    if (before === -1) return false
    // Rows of a table that are alike differ in a number or a name.
    pieces.add(text.slice(before, place))
    if (pieces.size > MOST_PIECES) return false
    place = before
  }
  const average = (last - place) / (times - 1)
  return average <= gapChars && new Set(chunk.replace(/[\s|]/g, '')).size >= LEAST_DISTINCT_CHARS
}
