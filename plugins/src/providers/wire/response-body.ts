import { createParser } from 'eventsource-parser'
import { asText, isRecord, toRecord } from '../format/json.ts'
import { WireFailure } from './provider-error.ts'

/** Hands over a body, chunk by chunk. */
export type ReadChunks = (onChunk: (chunk: Uint8Array) => void) => Promise<void>

/** For whole bodies: one takes longer to make than an answer to decode. */
const DECODER = new TextDecoder()

/** Bytes of one answer, or of one event of a stream, that are kept. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * A whole body as text. A body that drips forever is never silent, so it has a limit as a whole.
 *
 * @throws Error for a body that is too large; with code `ETIMEDOUT` for one that takes longer than `limitMs`
 */
export async function readAll(read: ReadChunks, limitMs = Number.POSITIVE_INFINITY): Promise<string> {
  const startedAt = performance.now()
  const chunks: Uint8Array[] = []
  let bytes = 0
  await read((chunk) => {
    if (performance.now() - startedAt > limitMs) {
      throw Object.assign(new Error(`the answer took longer than ${limitMs} ms`), { code: 'ETIMEDOUT' })
    }
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  })
  return DECODER.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
}

/**
 * The data of server-sent events, parsed, as they come. `[DONE]` and events without data are left out.
 *
 * A body that is JSON in spite of what was asked for is handed to `onWhole`.
 *
 * @returns whether the mark of the end came
 * @throws WireFailure for an error that came as data; SyntaxError for data that is no JSON
 */
export async function readEvents(
  read: ReadChunks,
  onData: (data: unknown) => void,
  onWhole: (text: string) => void,
): Promise<boolean> {
  const decoder = new TextDecoder()
  let isEnded = false
  let whole: string | undefined
  let isFirst = true
  const parser = createParser({
    maxBufferSize: MAX_BYTES,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
    onEvent: ({ data: text }) => {
      isEnded ||= text.startsWith('[DONE]')
      if (text === '' || text.startsWith('[DONE]')) return
      const data: unknown = JSON.parse(text)
      const error = isRecord(data) ? data.error : undefined
      if (error) throw new WireFailure(typeof error === 'string' ? { message: asText(error) } : toRecord(error))
      onData(data)
    },
  })
  await read((chunk) => {
    const text = decoder.decode(chunk, { stream: true })
    if (isFirst && /^\s*\{/.test(text)) whole = ''
    isFirst = false
    if (whole === undefined) parser.feed(text)
    else if (whole.length < MAX_BYTES) whole += text
    else throw new Error(`the answer has more than ${MAX_BYTES} bytes`)
  })
  if (whole !== undefined) onWhole(whole)
  return isEnded
}

/** Whether a whole body is events, whatever its type says. */
export const isEventText = (text: string): boolean => /^\s*(?:data|event|id|retry)?:/.test(text)

/** A body that was read already, for `readEvents`. */
export const textChunks =
  (text: string): ReadChunks =>
  async (onChunk) =>
    onChunk(Buffer.from(text))
