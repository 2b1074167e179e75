import { createServer, type RequestListener, type Server } from 'node:http'
import { ConfigError } from '@svc/core'
import { mostSockets } from './most-sockets.ts'
import { answerBroken } from './request/broken-request.ts'

/** On one connection: who sends thousands ahead makes nobody else wait for them. */
const MOST_REQUESTS = 100
const MAX_HEADER_BYTES = 16 * 1024

export interface ListenerOptions {
  host: string
  /** 0 is any that is free. */
  port: number
  /** How many event streams may be open. */
  streams: number
  answer: RequestListener
}

/** The port of a server, with its bounds for clients that are slow, broken or many. */
export class Listener {
  readonly #server: Server
  readonly #host: string
  readonly #port: number
  #sockets = 0

  constructor({ host, port, streams, answer }: ListenerOptions) {
    this.#host = host
    this.#port = port
    const server = createServer(
      {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: 1_000,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      answer,
    )
    server.maxRequestsPerSocket = MOST_REQUESTS
    server.on('clientError', answerBroken)
    // A connection that waits for its next request makes room for a new one.
    server.on('connection', (socket) => {
      if (++this.#sockets >= server.maxConnections) server.closeIdleConnections()
      socket.on('close', () => this.#sockets--)
    })
    this.#server = server
    this.makeRoom(streams)
  }

  /** For as many event streams, and what else is asked. */
  makeRoom(streams: number): void {
    this.#server.maxConnections = mostSockets(streams)
  }

  /** Whether only this machine reaches it. */
  get isLocal(): boolean {
    return /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])$/.test(this.#host)
  }

  /** Empty before it listens. */
  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return ''
    const host = this.#host.includes(':') && !this.#host.startsWith('[') ? `[${this.#host}]` : this.#host
    return `http://${host}:${address.port}`
  }

  /** @throws ConfigError `config_invalid` for an address that cannot be used */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        const why = error.code === 'EADDRINUSE' ? 'it is in use: choose another with --port' : error.message
        reject(
          new ConfigError('config_invalid', `cannot listen on ${this.#host}:${this.#port}: ${why}`, { cause: error }),
        )
      }
      this.#server.once('error', fail)
      this.#server.listen(this.#port, this.#host.replace(/^\[|\]$/g, ''), () => {
        this.#server.off('error', fail)
        resolve()
      })
    })
  }

  /** Takes no new connections, and ends those that are open. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeIdleConnections()
      // A connection that has sent half a request is answered by nobody any more.
      setImmediate(() => this.cut())
    })
  }

  cut(): void {
    this.#server.closeAllConnections()
  }
}
