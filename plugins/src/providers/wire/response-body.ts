import { createParser } from 'eventsource-parser'
import { asText, isRecord, toRecord } from '../format/json.ts'
import { WireFailure } from './provider-error.ts'

/** Hands over a body, chunk by chunk. */
export type ReadChunks = (onChunk: (chunk: Uint8Array) => void) => Promise<void>

/** For whole bodies: one takes longer to make than an answer to decode. */
const DECODER = new TextDecoder()

/** Bytes of a whole body, or of one event of a stream. */
const MAX_BYTES = 64 * 1024 * 1024
/** Bytes of a stream, comments included, and of what is unpacked: most of it is what stands around each token. */
export const MAX_STREAM_BYTES = 2 * MAX_BYTES

/**
 * What an answer may take. A server that sends something now and then is never silent, so there is a limit on the whole, and
 * one on the time without anything of the answer.
 */
class Bounds {
  readonly #mostBytes: number
  readonly #limitMs: number
  #since = performance.now()
  #bytes = 0

  constructor(mostBytes: number, limitMs: number) {
    this.#mostBytes = mostBytes
    this.#limitMs = limitMs
  }

  /** @throws Error for an answer that is too large; with code `ETIMEDOUT` for one of which nothing came for too long */
  take({ length }: Uint8Array): void {
    if (performance.now() - this.#since > this.#limitMs) {
      throw Object.assign(new Error(`the answer took longer than ${this.#limitMs} ms`), { code: 'ETIMEDOUT' })
    }
    this.#bytes += length
    if (this.#bytes > this.#mostBytes) throw new Error(`the answer has more than ${this.#mostBytes} bytes`)
  }

  /** Something of the answer came. */
  renew(): void {
    this.#since = performance.now()
  }
}

/**
 * A whole body as text.
 *
 * @throws Error for a body that is too large; with code `ETIMEDOUT` for one that takes longer than `limitMs`
 */
export async function readAll(read: ReadChunks, limitMs: number): Promise<string> {
  const bounds = new Bounds(MAX_BYTES, limitMs)
  const chunks: Uint8Array[] = []
  await read((chunk) => {
    bounds.take(chunk)
    chunks.push(chunk)
  })
  return DECODER.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
}

/**
 * The data of server-sent events, parsed, as they come. `[DONE]` and events without data are left out.
 *
 * A body that is JSON in spite of what was asked for is handed to `onWhole`.
 *
 * @param limitMs how long nothing but comments may come
 * @returns whether the mark of the end came
 * @throws WireFailure for an error that came as data; SyntaxError for data that is no JSON; Error as `readAll`
 */
export async function readEvents(
  read: ReadChunks,
  limitMs: number,
  onData: (data: unknown) => void,
  onWhole: (text: string) => void,
): Promise<boolean> {
  const bounds = new Bounds(MAX_STREAM_BYTES, limitMs)
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
      bounds.renew()
      isEnded ||= text.startsWith('[DONE]')
      if (text === '' || text.startsWith('[DONE]')) return
      const data: unknown = JSON.parse(text)
      const error = isRecord(data) ? data.error : undefined
      if (error) throw new WireFailure(typeof error === 'string' ? { message: asText(error) } : toRecord(error))
      onData(data)
    },
  })
  await read((chunk) => {
    bounds.take(chunk)
    const text = decoder.decode(chunk, { stream: true })
    if (text === '') return
    if (isFirst && /^\s*\{/.test(text)) whole = ''
    isFirst = false
    if (whole === undefined) parser.feed(text)
    else whole += text
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
