import { ConfigError } from '@svc/core/client'
import {
  CLIENT_CHECKS,
  type ClientOptions,
  checkValues,
  FUNCTION,
  OBJECT,
  type OptionCheck,
  TEXT,
} from '../option-checks.ts'
import type { ConnectionState } from './connection.ts'

/** Options of a client that talks to a server. */
export interface RemoteOptions extends ClientOptions {
  /** Address of the server, such as `http://127.0.0.1:4000`. */
  serverUrl: string
  /**
   * The server's key. Default `SERVICE_API_KEY` of the environment, where there is one; else a server of this machine is sent the key
   * in its data folder, once it asks for one.
   */
  serverKey?: string
  /** How long one request may take: milliseconds, default 60 000. */
  timeoutMs?: number
  /**
   * How long a run is followed or waited for while its server cannot be reached: milliseconds, default `timeoutMs`;
   * `Infinity` never gives up.
   */
  patienceMs?: number
  /**
   * Called with `away` once the server cannot be reached, and with `back` once it has answered again and all streams that
   * were cut go on. What `onRunEvent` missed meanwhile is not told: list the runs again.
   */
  onConnection?: (state: ConnectionState) => void
  /** Called each time the server takes no more requests for now (`rate_limited`), with the milliseconds until it does. */
  onBusy?: (forMs: number) => void
  /** How often a request is sent again where the server was busy or not reached. Default 2. */
  maxRetries?: number
  /** Reaches the server. Default the global one. */
  fetch?: typeof fetch
  /** Variables to read instead of the process's. */
  env?: Readonly<Record<string, string | undefined>>
  /** `provider/model` of runs that name none. Default the server's. */
  model?: string
  /** Soft budget in tokens of runs that name none. Default the server's. */
  tokenBudget?: number
}

/** What every option of a remote client must be. */
export const REMOTE_CHECKS: { readonly [Name in Exclude<keyof RemoteOptions, keyof ClientOptions>]: OptionCheck } = {
  serverUrl: [
    (value) => typeof value === 'string' && isServerUrl(value),
    'the address of a server that starts with http:// or https://, without a key in it',
  ],
  serverKey: TEXT,
  timeoutMs: [(value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of milliseconds above 0'],
  patienceMs: [(value) => typeof value === 'number' && value >= 1, 'a number of milliseconds above 0, or Infinity'],
  onConnection: FUNCTION,
  onBusy: FUNCTION,
  maxRetries: [(value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number from 0'],
  fetch: FUNCTION,
  env: OBJECT,
  model: TEXT,
  tokenBudget: [(value) => Number.isInteger(value) && Number(value) >= 1, 'a whole number of tokens above 0'],
}

/** Whether a text is the address of a server; one with a key in it is not. */
export function isServerUrl(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return username === '' && password === '' && search === '' && hash === ''
}

/**
 * Checks options where there is nothing but a server.
 *
 * @throws ValidationError `validation_failed`; ConfigError `config_invalid` where there is no `serverUrl`
 */
export function checkRemoteOptions(options: RemoteOptions): void {
  checkValues({ ...CLIENT_CHECKS, ...REMOTE_CHECKS }, options)
  if (options.serverUrl === undefined)
    throw new ConfigError('config_invalid', 'serverUrl: must be given where svc cannot run embedded, as in a browser')
}
