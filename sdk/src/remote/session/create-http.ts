import { HttpClient } from '../http-client.ts'
import type { RemoteOptions } from '../remote-options.ts'

const TIMEOUT_MS = 60_000
const MAX_RETRIES = 2

/** What sends the requests of a client. */
export function createHttp(options: RemoteOptions): HttpClient {
  const { serverUrl, env = globalThis.process?.env ?? {}, timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES } = options
  const { patienceMs = timeoutMs, onConnection, onBusy } = options
  // A server may have several keys.
  const serverKey = (options.serverKey ?? env.SERVICE_API_KEY)?.split(',')[0]?.trim() || undefined
  return new HttpClient({
    serverUrl,
    serverKey,
    timeoutMs,
    patienceMs,
    maxRetries,
    onConnection,
    onBusy,
    // A browser's own refuses to be called as a method of something else.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
  })
}
