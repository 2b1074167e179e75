/** One frame of a stream of server-sent events. */
export interface Frame {
  /** Name of the event; `message` where the frame names none. */
  event: string
  data: string
  id: string | undefined
}

/**
 * Reads a stream of server-sent events, in pieces of any size.
 *
 * @param onRetry is handed the milliseconds of each `retry` field
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class FrameReader {
  readonly #decoder = new TextDecoder()
  readonly #onRetry: (ms: number) => void
  #rest = ''
  #event = ''
  #data: string[] = []
  #id: string | undefined

  constructor(onRetry: (ms: number) => void = () => {}) {
    this.#onRetry = onRetry
  }

  /** The frames that a piece completes. */
  read(piece: Uint8Array): Frame[] {
    this.#rest += this.#decoder.decode(piece, { stream: true })
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#take(line))
  }

  #take(line: string): Frame[] {
    if (line === '') return this.#end()
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#onRetry(Number(value))
    return []
  }

  #end(): Frame[] {
    const frame = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id }
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    return isEmpty ? [] : [frame]
  }
}

export interface ReadOptions {
  /** After so many milliseconds without a byte the connection counts as dead. */
  silenceMs: number
  /** Ends the reading. */
  signal: AbortSignal
  onRetry: (ms: number) => void
}

/**
 * The frames of an answer, until it ends or the signal is aborted.
 *
 * @throws Error where it was cut, or is dead
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  { silenceMs, signal, onRetry }: ReadOptions,
): AsyncGenerator<Frame> {
  const frames = new FrameReader(onRetry)
  const reader = body.getReader()
  let hasFailed = false
  // Ends a read that is under way.
  const leave = (): void => void reader.cancel().catch(() => {})
  const fail = (): void => {
    hasFailed = true
    leave()
  }
  let timer = setTimeout(fail, silenceMs)
  signal.addEventListener('abort', leave)
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (hasFailed) throw new Error(`nothing came for ${silenceMs} ms`)
      if (done) return
      yield* frames.read(value)
      timer = setTimeout(fail, silenceMs)
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
    leave()
  }
}
