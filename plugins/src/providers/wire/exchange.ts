import type { IncomingHttpHeaders } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { MAX_STREAM_BYTES, readAll } from './response-body.ts'

const NOTHING = new Uint8Array()

/** What one call asks of the transport; it travels in the official client's `fetchOptions`. */
export interface CallTerms {
  readonly signal: AbortSignal
  /** How long the head of the response may take, and an error's body, in milliseconds. */
  readonly headTimeoutMs: number
  /** How long the body may be silent, in milliseconds. */
  readonly silenceTimeoutMs: number
}

/** Takes a body, chunk by chunk. */
interface Sink {
  onChunk(chunk: Uint8Array): void
  resolve(): void
  reject(thrown: unknown): void
}

const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * One request and its response, driven by the dispatcher's callbacks. Its body is handed over chunk by chunk, without a
 * stream in between.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The response once its head is there. */
  readonly head: Promise<Exchange>
  readonly url: string
  readonly body = null
  status = 0
  ok = false
  headers: Headers | PlainHeaders = new PlainHeaders({})
  readonly #terms: CallTerms
  readonly #onAbort: () => void
  #resolveHead!: (exchange: Exchange) => void
  #rejectHead!: (thrown: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #decoder: ReturnType<typeof createGunzip> | undefined
  #packedBytes = 0
  readonly #startedAt = performance.now()
  #sink: Sink | undefined
  /** What came before somebody read. */
  #chunks: Uint8Array[] = []
  #isEnded = false
  #failure: { readonly thrown: unknown } | undefined

  constructor(url: string, terms: CallTerms) {
    const { signal } = terms
    this.url = url
    this.#terms = terms
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve
      this.#rejectHead = reject
    })
    this.#onAbort = () => this.#stop(new DOMException('the call was aborted', 'AbortError'))
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure !== undefined) controller.abort(this.#failure.thrown as Error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      // Each note on the way lets undici wait as long again.
      if (performance.now() - this.#startedAt > this.#terms.headTimeoutMs) {
        this.#stop(Object.assign(new Error('notes alone came'), { code: 'ETIMEDOUT' }))
      }
      return
    }
    this.status = status
    this.ok = status < 300
    // An error carries its headers, which its reader takes for `Headers`.
    this.headers = this.ok ? new PlainHeaders(headers) : toHeaders(headers)
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
    if (Object.hasOwn(DECODERS, encoding)) this.#decodeBy(DECODERS[encoding as keyof typeof DECODERS]())
    this.#resolveHead(this)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#decoder === undefined) {
      this.#take(chunk)
      return
    }
    // What is packed may be nothing, forever: the reader hears of each chunk, and looks at its clock.
    this.#take(NOTHING)
    this.#packedBytes += chunk.length
    if (this.#packedBytes <= MAX_STREAM_BYTES) this.#decoder.write(chunk)
    else this.#stop(new Error(`the answer has more than ${MAX_STREAM_BYTES} bytes`))
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#end()
    else this.#decoder.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, thrown: unknown): void {
    this.#fail(thrown)
  }

  /**
   * Hands over the body, once. What `onChunk` throws ends the request.
   *
   * @throws what the connection failed with, or what `onChunk` threw
   */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sink = { onChunk, resolve, reject }
      for (const chunk of this.#chunks.splice(0)) this.#take(chunk)
      if (this.#failure !== undefined) reject(this.#failure.thrown)
      else if (this.#isEnded) resolve()
    })
  }

  async text(): Promise<string> {
    return readAll((onChunk) => this.read(onChunk), this.#terms.headTimeoutMs)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  #decodeBy(decoder: ReturnType<typeof createGunzip>): void {
    this.#decoder = decoder
    decoder.on('data', (chunk: Uint8Array) => this.#take(chunk))
    decoder.on('end', () => this.#end())
    decoder.on('error', (thrown) => this.#stop(thrown))
  }

  #take(chunk: Uint8Array): void {
    if (this.#failure !== undefined) return
    if (this.#sink === undefined) {
      this.#chunks.push(chunk)
      return
    }
    try {
      this.#sink.onChunk(chunk)
    } catch (thrown) {
      this.#stop(thrown)
    }
  }

  #end(): void {
    this.#isEnded = true
    this.#release()
    this.#sink?.resolve()
  }

  /** Fails, and closes the connection. */
  #stop(thrown: unknown): void {
    this.#fail(thrown)
    this.#controller?.abort(thrown as Error)
  }

  #fail(thrown: unknown): void {
    if (this.#isEnded || this.#failure !== undefined) return
    this.#failure = { thrown }
    // A little that was sent may be hours of unpacking.
    this.#decoder?.destroy()
    this.#release()
    this.#rejectHead(thrown)
    this.#sink?.reject(thrown)
  }

  #release(): void {
    this.#terms.signal.removeEventListener('abort', this.#onAbort)
  }
}

/** Of `Headers` what the official clients ask of a response that went well. */
class PlainHeaders {
  readonly #values: IncomingHttpHeaders

  constructor(values: IncomingHttpHeaders) {
    this.#values = values
  }

  get(name: string): string | null {
    const value = this.#values[name]
    return value === undefined ? null : String(value)
  }

  /** The one header that those clients look for among all, to log it. */
  entries(): [string, string][] {
    const id = this.get('x-request-id')
    return id === null ? [] : [['x-request-id', id]]
  }
}

function toHeaders(values: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(values)) {
    for (const each of Array.isArray(value) ? value : [value ?? '']) headers.append(name, each)
  }
  return headers
}
