/**
 * `fetch` that reaches only the public internet.
 *
 * The host is checked as the URL parser understood it (so `127.1`, `0x7f000001` and full-width digits are the addresses
 * they mean), again where the name has become addresses and the connection is made to exactly those (so a name that
 * changes its mind is judged by what is used), and again for every redirect. Proxies of the environment are not used:
 * they would look the name up where nobody checks.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { type Duplex, pipeline, Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type CheckedFetch, PolicyError, ToolError } from '@svc/core'
import { isPublicAddress } from './address.ts'

/** Finds the addresses of a host name. */
export type Lookup = (host: string) => Promise<{ address: string; family: number }[]>

export interface GuardedFetchOptions {
  /**
   * The only hosts that may be reached, also by redirects: `example.org`, `*.example.org` for all below it,
   * `example.org:8443` for one port. An address or `localhost` that is named here is reached although it is not
   * public; a name is not, whatever its address is. Default: every public host.
   */
  allowHosts?: readonly string[]
  /** Reaches private addresses too: for tests and for callers who check elsewhere. Default false. */
  allowPrivate?: boolean
  /** Default 5. */
  maxRedirects?: number
  /** Most bytes of a response's body, after decompression; then `tool_output_too_large`. Default 10 485 760. */
  maxBytes?: number
  /** Longest silence of the other side. Default 30 000. */
  timeoutMs?: number
  /** Default: the system's. */
  lookup?: Lookup
}

interface Hop {
  url: URL
  method: string
  headers: Headers
  body: Buffer | undefined
}

interface Guard {
  readonly options: GuardedFetchOptions
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly lookup: LookupFunction
  /** As `lookup`, for a host that the configuration names although it is local. */
  readonly localLookup: LookupFunction
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const WITHOUT_BODY = new Set([101, 204, 205, 304])
/** What a redirect to another origin keeps: any other header may hold a key, whatever its name is. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])
/** Set by the connection alone: a caller's would name another host or cut the message elsewhere. */
const CONNECTION_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer']

/**
 * Makes a `fetch` that refuses everything but public hosts over http and https.
 *
 * What it returns asks its third argument about each host before it is reached. It rejects with PolicyError `ssrf_blocked` for
 * a refused address, ToolError `tool_failed` after too many redirects or for one that would take a body to another origin,
 * ToolError `tool_bad_args` for what is no URL, the signal's reason on abort, and TypeError `fetch failed`
 * with its cause for the rest, as `fetch` does.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): CheckedFetch {
  const find = options.lookup ?? ((host) => systemLookup(host, { all: true }))
  const guard: Guard = {
    options,
    maxBytes: options.maxBytes ?? 10_485_760,
    timeoutMs: options.timeoutMs ?? 30_000,
    lookup: createLookup(find, options.allowPrivate === true),
    localLookup: createLookup(find, true),
  }
  return async (input, init, check) => {
    const url = parseUrl(input instanceof Request ? input.url : String(input))
    checkUrl(url, options)
    check?.(toHost(url))
    const request = new Request(input instanceof Request ? input : url, init)
    request.signal.throwIfAborted()
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const headers = new Headers(request.headers)
    for (const name of CONNECTION_HEADERS) headers.delete(name)
    if (!headers.has('accept')) headers.set('accept', '*/*')
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, deflate, br')
    if (!headers.has('user-agent')) headers.set('user-agent', 'svc')
    return follow({ url, method: request.method, headers, body }, request, guard, check)
  }
}

async function follow(start: Hop, request: Request, guard: Guard, check?: (host: string) => void): Promise<Response> {
  const most = guard.options.maxRedirects ?? 5
  let hop = start
  for (let redirects = 0; ; redirects++) {
    const message = await send(hop, request.signal, guard)
    const location = message.headers.location
    const isRedirect = REDIRECTS.has(message.statusCode ?? 0) && location !== undefined
    if (!isRedirect || request.redirect === 'manual') return toResponse(message, hop, redirects > 0, guard)
    message.destroy()
    if (request.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
    if (redirects >= most) throw new ToolError('tool_failed', `${start.url.origin} redirects more than ${most} times`)
    const url = parseUrl(location, hop.url)
    checkRedirect(url, guard.options, check)
    hop = redirect(hop, url, message.statusCode ?? 0)
  }
}

/**
 * The next request after a redirect, as browsers make it (the Fetch standard, "HTTP-redirect fetch"). Stricter than they,
 * another origin gets nothing but a question: no header of the caller's that could be a key, no body, no change.
 */
function redirect(hop: Hop, url: URL, status: number): Hop {
  const leaves = isForeign(url, hop.url)
  const headers = new Headers([...hop.headers].filter(([name]) => !leaves || PUBLIC_HEADERS.has(name)))
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST'
  if (!becomesGet) {
    if (leaves && hop.method !== 'GET' && hop.method !== 'HEAD') throw takenElsewhere(hop, url)
    return { ...hop, url, headers }
  }
  for (const name of ['content-type', 'content-encoding', 'content-language', 'content-length']) headers.delete(name)
  return { url, method: 'GET', headers, body: undefined }
}

function isForeign(url: URL, before: URL): boolean {
  return url.origin !== before.origin
}

function takenElsewhere({ method, url: { origin } }: Hop, url: URL): ToolError {
  const message = `${origin} redirects a ${method} to ${url.origin}, which is not sent there: call that address itself`
  return new ToolError('tool_failed', message)
}

function parseUrl(text: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch (error) {
    throw new ToolError('tool_bad_args', `${JSON.stringify(text.slice(0, 200))} is not a URL`, { cause: error })
  }
}

/** @throws PolicyError `ssrf_blocked` for what can be refused before any name is looked up */
function checkUrl(url: URL, options: GuardedFetchOptions): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw blocked(url.protocol, 'only http and https are reached')
  }
  if (url.username !== '' || url.password !== '') throw blocked(url.host, 'a URL may not carry a user name')
  const host = toHost(url)
  if (options.allowHosts !== undefined && !isListed(url, options.allowHosts)) {
    throw blocked(host, `it is not among the allowed hosts (${options.allowHosts.join(', ')})`)
  }
  if (isTrustedLocal(url, options)) return
  if (isLocalName(host) || isClosedAddress(host)) {
    throw blocked(host, 'it is an address of this machine or its network')
  }
}

function checkRedirect(url: URL, options: GuardedFetchOptions, check: Parameters<CheckedFetch>[2]): void {
  checkUrl(url, options)
  check?.(toHost(url))
}

function isClosedAddress(host: string): boolean {
  return isIP(host) !== 0 && !isPublicAddress(host)
}

/** Whether the local address is wanted: private ones are allowed at all, or this one is named. */
function isTrustedLocal(url: URL, { allowPrivate, allowHosts }: GuardedFetchOptions): boolean {
  if (allowPrivate === true) return true
  const host = toHost(url)
  return (isLocalName(host) || isIP(host) !== 0) && allowHosts !== undefined && isListed(url, allowHosts)
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Without brackets and without the dot that ends a full name. */
function toHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function isListed(url: URL, list: readonly string[]): boolean {
  const host = toHost(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list.some((entry) => coversHost(entry, { name: host, port }))
}

/** A name, and a port where one is said. */
interface Host {
  readonly name: string
  readonly port: string | undefined
}

/** Whether a host of a list covers another one: `*.` stands for all names below; a port that is not said, for each. */
export function coversHost(entry: string, { name, port }: Host): boolean {
  const own = parseHost(entry)
  if (own.port !== undefined && port !== undefined && own.port !== port) return false
  return own.name.startsWith('*.') ? name.endsWith(own.name.slice(1)) : name === own.name
}

/** A host of a list in its parts; IPv6 in brackets where a port follows. */
export function parseHost(entry: string): Host {
  const lower = entry.trim().toLowerCase()
  const colon = lower.lastIndexOf(':')
  const bare = isIP(lower) === 6 || colon < 0 || lower.endsWith(']')
  const name = bare ? lower : lower.slice(0, colon)
  return { name: name.replace(/^\[|\]$/g, ''), port: bare ? undefined : lower.slice(colon + 1) }
}

function blocked(host: string, why: string): PolicyError {
  return new PolicyError('ssrf_blocked', `refused to reach ${JSON.stringify(host)}: ${why}`, { details: { host } })
}

function createLookup(find: Lookup, allowPrivate: boolean): LookupFunction {
  return (host, { all }, callback) => {
    find(host).then(
      (found) => {
        const closed = allowPrivate ? undefined : found.find(({ address }) => !isPublicAddress(address))
        const [first] = found
        if (closed !== undefined || first === undefined) {
          const why = closed ? 'it leads to an address of this machine or its network' : 'it has no address'
          callback(blocked(host, why), '', 0)
        } else if (all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    )
  }
}

async function send(hop: Hop, signal: AbortSignal, guard: Guard): Promise<IncomingMessage> {
  const isSecure = hop.url.protocol === 'https:'
  // Loaded with the first request: an import of `node:http` loads all of the `fetch` of Node 22 and newer too.
  const { Agent, request: start } = isSecure ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = start(hop.url, {
      method: hop.method,
      headers: Object.fromEntries(hop.headers),
      lookup: isTrustedLocal(hop.url, guard.options) ? guard.localLookup : guard.lookup,
      // an agent of its own: a connection that others opened was checked by nobody
      agent: new Agent({ keepAlive: false }),
      timeout: guard.timeoutMs,
      signal,
    })
    request.on('timeout', () => request.destroy(new Error(`no answer for ${guard.timeoutMs} ms`)))
    request.on('response', resolve)
    request.on('error', (error) => {
      if (signal.aborted) reject(signal.reason)
      else if (error instanceof PolicyError) reject(error)
      else reject(new TypeError('fetch failed', { cause: error }))
    })
    request.end(hop.body)
  })
}

function toResponse(message: IncomingMessage, hop: Hop, redirected: boolean, guard: Guard): Response {
  const status = message.statusCode ?? 0
  const headers = new Headers()
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '')
  }
  const isEmpty = WITHOUT_BODY.has(status) || hop.method === 'HEAD'
  if (isEmpty) message.resume()
  const body = isEmpty ? null : toBody(message, headers, guard.maxBytes)
  const response = new Response(body, { status, statusText: message.statusMessage ?? '', headers })
  Object.defineProperty(response, 'url', { value: hop.url.href })
  Object.defineProperty(response, 'redirected', { value: redirected })
  return response
}

function toBody(message: IncomingMessage, headers: Headers, maxBytes: number): ReadableStream {
  const decoder = createDecoder(headers.get('content-encoding'))
  if (decoder !== undefined) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= maxBytes) done(null, chunk)
      else done(new ToolError('tool_output_too_large', `the response is larger than ${maxBytes} bytes`))
    },
  })
  // errors reach the reader of the last stream; the callback keeps them from being uncaught
  const streams = decoder === undefined ? [message, counter] : [message, decoder, counter]
  pipeline(streams, () => {})
  return Readable.toWeb(counter) as ReadableStream
}

function createDecoder(encoding: string | null): Duplex | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}
