import type { RequestListener } from 'node:http'
import type { Runtime, ServerConfig } from '@svc/core'
import type { Keys } from './http/request/authenticate.ts'
import type { LocalKey } from './keys/local-key.ts'
import type { LogLine } from './observe/http-log.ts'
import type { ServerLimits } from './server-context.ts'

/** What a server is made of. Everything but the runtime has a default. */
export interface ServerOptions extends Omit<ServerConfig, 'limits'> {
  /** Closed by the caller, also after the server has closed. */
  runtime: Runtime
  limits?: Partial<ServerLimits>
  /**
   * Keys that are good now. Default those of `SERVICE_API_KEY`, separated by commas. Where there were some and none is left,
   * the last ones stay good, and a warning of the process says so.
   */
  keys?: Keys
  /**
   * What decides needs this key, where there are no others: answers, deleting, changes of agents and memories, and what loosens
   * policy or budget. Default a new random one, which only `Server.localKey` tells.
   */
  localKey?: LocalKey
  /** Absolute path, without links, of the folder in which `svc experiment` keeps what it measures. Default none. */
  experiments?: string
  /** Listens on any address without a key. Default false. */
  insecureNoAuth?: boolean
  /**
   * True: `/livez`, `/readyz`, `/health` and `/metrics` alone are served, by any name and on any address without a key, as a worker
   * does. Default false.
   */
  probesOnly?: boolean
  /** Receives a line for each request. Default nothing is logged. */
  log?: (line: LogLine) => void
}

/** What can be changed while the server listens. */
export interface LiveSettings
  extends Pick<
    ServerConfig,
    'adapters' | 'allowedHosts' | 'allowedOrigins' | 'console' | 'metrics' | 'oidc' | 'publicUrl'
  > {
  limits?: Partial<ServerLimits>
}

/** A server that listens, or will. */
export interface Server {
  /**
   * Begins to listen.
   *
   * @returns its address
   * @throws ConfigError `config_invalid` for another address than the local one without a key, or one that cannot be used
   */
  listen(): Promise<string>
  /** Refuses new work from now on, as `/readyz` says; goes on to answer until `close`. */
  drain(): void
  /**
   * Refuses new work, waits until what is open was answered, then closes. Runs go on: nothing is cancelled.
   *
   * @param drainMs how long to wait; default 30 000
   */
  close(drainMs?: number): Promise<void>
  /**
   * Goes on with other settings: requests from now on are answered by them, those that are open end as they began. A limit
   * that is left out gets its default. Streams whose key is good no more are cut.
   */
  reload(settings: LiveSettings): void
  /** Address such as `http://127.0.0.1:4000`; empty before it listens. */
  readonly url: string
  /** What decides is asked for with it, while there are no other keys. */
  readonly localKey: string
  /** Address of the console. While there are no keys it has a code in it, good for an hour and for one tab, which may then decide. */
  consoleLink(): string
  /** Answers a request, for a server of the caller's own. */
  readonly app: RequestListener
}
