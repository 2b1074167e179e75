import type { Detector } from '../detector.ts'

const KEPT_CHARS = 5_000
const MAX_GAPS = 3
/** Rulers, tables and padding repeat rightly. */
const LEAST_DISTINCT_CHARS = 8

interface Stream {
  text: string
  at: number
  seen: Map<string, number[]>
}

/** A model that streams the same piece of text over and over. */
export const chunkLoop: Detector = {
  code: 'chunk-loop',
  mast: '1.3',
  on: ['message.delta', 'message.completed'],
  watch(facts, { chunkChars, chunkRepeats, chunkGapChars }) {
    const streams = new Map<string, Stream>()
    return (event) => {
      const { agentId = '', callId = '', data } = event
      const key = `${agentId}|${callId}`
      if (event.type === 'message.completed') {
        streams.delete(key)
        return undefined
      }
      if (typeof data.text !== 'string') return undefined
      const stream = streams.get(key) ?? { text: '', at: 0, seen: new Map() }
      streams.set(key, stream)
      stream.text += data.text
      let isLoop = false
      for (; stream.at + chunkChars <= stream.text.length; stream.at++) {
        isLoop ||= repeats(stream, stream.text.slice(stream.at, stream.at + chunkChars), {
          chunkRepeats,
          chunkGapChars,
        })
      }
      if (stream.text.length > 2 * KEPT_CHARS) forget(stream, chunkChars)
      if (!isLoop) return undefined
      return {
        subject: key,
        severity: 'critical',
        message: `${agentId} writes the same text again and again: "${stream.text.slice(-chunkChars).replace(/\s+/g, ' ')}"`,
        fix: 'Do not repeat the text; finish the answer.',
        action: 'nudge',
        agentId: event.agentId,
        stepId: event.stepId,
        evidence: [facts.refOf(event)],
      }
    }
  },
}

function repeats(
  { at, seen }: Stream,
  chunk: string,
  limits: { chunkRepeats: number; chunkGapChars: number },
): boolean {
  const places = seen.get(chunk) ?? []
  places.push(at)
  if (places.length > limits.chunkRepeats) places.shift()
  seen.set(chunk, places)
  if (places.length < limits.chunkRepeats) return false
  const gaps = new Set(places.slice(1).map((place, index) => place - (places[index] ?? 0)))
  const average = (at - (places[0] ?? 0)) / (places.length - 1)
  return (
    average <= limits.chunkGapChars &&
    gaps.size <= MAX_GAPS &&
    new Set(chunk.replace(/[\s|]/g, '')).size >= LEAST_DISTINCT_CHARS
  )
}

/** Keeps the newest part and starts counting again, so that a long stream stays small. */
function forget(stream: Stream, chunkChars: number): void {
  stream.text = stream.text.slice(-(chunkChars - 1))
  stream.at = 0
  stream.seen.clear()
}
