import { AuthError, CapacityError, ConnectionError, SvcError } from '@svc/core/client'
import { Connection, type ConnectionState } from './connection.ts'
import { readProblem } from './problem.ts'
import { quietly } from './quietly.ts'
import { isTooMany, restMs, retryDelayMs, sleep } from './retry.ts'
import { LocalKey } from './session/local-key.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface HttpOptions {
  serverUrl: string
  serverKey: string | undefined
  timeoutMs: number
  /** Milliseconds for which a server may be away while a run is followed. */
  patienceMs: number
  maxRetries: number
  onConnection?: ((state: ConnectionState) => void) | undefined
  onBusy?: ((forMs: number) => void) | undefined
  fetch: typeof fetch
}

export interface HttpRequest {
  /** Undefined values are left out; a list is sent with commas. */
  query?: object
  /** Sent as JSON. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Of a POST: what makes it one request however often it is sent. Default a new one. */
  idempotencyKey?: string
  /** Statuses beside 2xx that are answers and no errors. */
  accepts?: readonly number[]
  /** Milliseconds beyond the time-out that the server is asked to wait. */
  waitMs?: number
  /** Tries as long as the server may be away, instead of a number of times. */
  isPatient?: boolean
  signal?: AbortSignal
}

/** Requests to one server: sent again where that is safe and of use, with errors as an embedded runtime throws them. */
export class HttpClient {
  /** Hears of each request by itself; of streams, those who read them say whether they are cut. */
  readonly connection: Connection
  readonly #options: HttpOptions
  readonly #base: string
  /** Of a server of this machine, where no other key was given. */
  readonly #localKey: LocalKey | undefined
  /** What is under way: stopped when the client closes. One listener each on one signal would be a leak to Node. */
  readonly #stops = new Set<AbortController>()
  #isClosed = false
  #open = 0

  constructor(options: HttpOptions) {
    this.#options = options
    this.connection = new Connection(options.onConnection)
    this.#base = options.serverUrl.replace(/(?<!\/)\/+$/, '')
    this.#localKey = options.serverKey === undefined ? LocalKey.of(this.#base) : undefined
  }

  /** Milliseconds for which a server may be away while a run is followed. */
  get patienceMs(): number {
    return this.#options.patienceMs
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Something that ends with a signal, and when the client closes. @returns how to forget it */
  addStop(stop: AbortController, signal?: AbortSignal): () => void {
    const abort = (): void => stop.abort()
    this.#stops.add(stop)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted || this.#isClosed) abort()
    return () => {
      this.#stops.delete(stop)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Says why nothing more is asked. */
  closedError(options: { cause?: unknown } = {}): CapacityError {
    const message = 'the client has disconnected; the server goes on with its runs'
    return new CapacityError('shutting_down', message, options)
  }

  /** Ends what is open, after at most so long. */
  async close(drainMs: number): Promise<void> {
    const until = Date.now() + drainMs
    while (this.#open > 0 && Date.now() < until) await sleep(20)
    this.#isClosed = true
    this.connection.close()
    for (const stop of this.#stops) stop.abort()
  }

  /** Waits, but no longer than the client is open. */
  async sleep(ms: number): Promise<void> {
    const stop = new AbortController()
    const forget = this.addStop(stop)
    await sleep(ms, stop.signal)
    forget()
  }

  /** Asks for JSON. Answers undefined for 204. */
  async json<T>(method: Method, path: string, request: HttpRequest = {}): Promise<T> {
    return (await this.answer<T>(method, path, request)).body
  }

  /** Asks for JSON, and answers the headers too. */
  async answer<T>(method: Method, path: string, request: HttpRequest = {}): Promise<{ body: T; headers: Headers }> {
    this.#open++
    try {
      return await this.#retried(method, path, request, async (response) => {
        const body = response.status === 204 ? undefined : await response.json()
        return { body: body as T, headers: response.headers }
      })
    } finally {
      this.#open--
    }
  }

  /** Asks once for what is read piece by piece. Time-out and signals count until the answer begins. */
  open(path: string, request: HttpRequest): Promise<Response> {
    return this.#once('GET', path, request, async (response) => response)
  }

  async #retried<T>(
    method: Method,
    path: string,
    request: HttpRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { idempotencyKey = method === 'POST' ? createKey() : undefined, isPatient = false, signal } = request
    const keyed = { ...request, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
    const startedMs = Date.now()
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(method, path, keyed, read, tries)
      } catch (thrown) {
        const mayTry = isPatient ? Date.now() - startedMs < this.patienceMs : tries <= this.#options.maxRetries
        const delayMs = mayTry && SvcError.isInstance(thrown) ? retryDelayMs(thrown, tries) : undefined
        if (delayMs === undefined || this.isClosed || signal?.aborted) throw thrown
        await this.sleep(delayMs)
      }
    }
  }

  async #once<T>(
    method: Method,
    path: string,
    { query, body, headers, idempotencyKey, accepts = [], waitMs = 0, signal }: HttpRequest,
    read: (response: Response) => Promise<T>,
    tries = 1,
  ): Promise<T> {
    const { serverKey, timeoutMs, fetch } = this.#options
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), timeoutMs + waitMs)
    const forget = this.addStop(stop, signal)
    try {
      const send = (key: LocalKey['headers'] | undefined): Promise<Response> =>
        fetch(`${this.#localKey?.base ?? this.#base}${path}${toQuery(query)}`, {
          method,
          // A redirect would take the key elsewhere; that it came is named in the error.
          redirect: 'manual',
          signal: stop.signal,
          headers: {
            accept: 'application/json',
            ...headers,
            ...(serverKey === undefined ? key : { authorization: `Bearer ${serverKey}` }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      const tried = this.#localKey?.headers
      let response = await send(tried)
      if (response.status === 401 && tried && this.#localKey?.learn(response.headers.get('www-authenticate'), tried)) {
        await response.body?.cancel()
        response = await send(this.#localKey.headers)
      }
      // What a lost answer has deleted already is gone.
      const isGone = method === 'DELETE' && tries > 1 && response.status === 404
      if (!response.ok && !accepts.includes(response.status) && !isGone) throw await readProblem(response, this.#base)
      const answer = await read(response)
      this.connection.back()
      return answer
    } catch (thrown) {
      const error = SvcError.isInstance(thrown) ? thrown : this.#toError(thrown, stop.signal.aborted, signal)
      if (isAway(error)) this.connection.lost()
      else if (error === thrown) this.connection.back()
      if (isTooMany(error)) quietly(() => this.#options.onBusy?.(restMs(error, 0)))
      throw error
    } finally {
      clearTimeout(timer)
      forget()
    }
  }

  #toError(thrown: unknown, isAborted: boolean, signal: AbortSignal | undefined): SvcError {
    const options = { cause: thrown }
    const { timeoutMs } = this.#options
    if (this.isClosed) return this.closedError(options)
    if (signal?.aborted)
      return new ConnectionError('connection_failed', 'the request was aborted', { ...options, retryable: false })
    if (isAborted)
      return new ConnectionError('connection_timeout', `${this.#base} did not answer within ${timeoutMs} ms`, options)
    if (thrown instanceof SyntaxError)
      return new ConnectionError('connection_failed', `${this.#base} is no svc server: it does not answer JSON`, {
        ...options,
        retryable: false,
      })
    const reason = reasonOf(thrown)
    // Node sends a request that was answered with 421 again by itself, and fails at its body.
    if (reason === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
      return new AuthError(
        'host_not_allowed',
        `the server is not known as ${new URL(this.#base).host}: add the name to its server.allowedHosts`,
        options,
      )
    const hint = reason === 'ECONNREFUSED' ? ': nothing listens there; svc serve starts a server' : ''
    return new ConnectionError('connection_failed', `${this.#base} cannot be reached: ${reason}${hint}`, options)
  }
}

/** Whether the server could not be reached, is going, or a proxy says so. */
function isAway({ code, retryable, details }: SvcError): boolean {
  const { status } = details ?? {}
  const isProxy = status === undefined || status === 502 || status === 503 || status === 504
  return retryable && (code === 'connection_failed' ? isProxy : /^(connection_timeout|shutting_down)$/.test(code))
}

/** What fetch says, or what lies behind it. */
function reasonOf(thrown: unknown): string {
  const { cause, message } = thrown as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(thrown)
}

/** A word that nobody has used before. `randomUUID` is missing on pages without HTTPS. */
export function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function toQuery(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, typeof value === 'boolean' ? (value ? '1' : '0') : String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
