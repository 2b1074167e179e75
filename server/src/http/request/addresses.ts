import type { IncomingMessage } from 'node:http'
import { AuthError, ValidationError } from '@svc/core'

const LONGEST_URL = 8 * 1024

/** Which names and which pages may call the server. */
export interface AddressRules {
  /** Port that is listened on. */
  port: number
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
}

/**
 * Refuses what a page on another site, or a name that was pointed at this machine, could send.
 *
 * @param isOpen whether the route answers everybody
 * @returns the origin that was allowed by name, for which the answer needs its header
 * @throws AuthError `host_not_allowed`, `origin_not_allowed`; ValidationError for a URL that is too long, and for what two
 *   readers would understand in two ways
 */
export function checkAddress(message: IncomingMessage, rules: AddressRules, isOpen: boolean): string | undefined {
  const { headers, url = '' } = message
  if (url.length > LONGEST_URL) {
    throw new ValidationError(
      'validation_failed',
      `the URL has ${url.length} characters: at most ${LONGEST_URL} are read`,
    )
  }
  checkMeaning(message)
  const host = headers.host ?? ''
  const named = authorityOf(url)
  if (named !== undefined && named !== host.toLowerCase()) {
    throw new AuthError('host_not_allowed', 'the first line of the request names another server than its Host')
  }
  if (!isAllowedHost(host, rules) && !isOwnAddress(host, message.socket.localAddress, rules.port)) {
    throw new AuthError(
      'host_not_allowed',
      `the server is not known as "${host.slice(0, 200)}": add the name to server.allowedHosts, or call it by 127.0.0.1:${rules.port}`,
    )
  }
  const { origin } = headers
  const isListed = origin !== undefined && rules.allowedOrigins.includes(origin)
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`
  if (!isOwn && !isListed) {
    throw new AuthError(
      'origin_not_allowed',
      `pages of "${origin.slice(0, 200)}" may not call the server: add the origin to server.allowedOrigins`,
    )
  }
  if (!OWN_SITES.has(headers['sec-fetch-site']) && !isListed && !isOpen) {
    throw new AuthError('origin_not_allowed', 'pages of another site may not call the server')
  }
  return isListed ? origin : undefined
}

/** What a browser says of a page of ours, and of what a person typed; other clients say nothing. */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none'])

/** Headers with one value, of those that are read here. A key that comes twice is no key. */
const SINGLE = ['host', 'origin', 'sec-fetch-site', 'content-type', 'idempotency-key', 'last-event-id']

/** @throws ValidationError for a header of one meaning that comes twice, and for a body that nothing here unpacks */
function checkMeaning({ headers, headersDistinct }: IncomingMessage): void {
  const twice = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
  const coding = headers['transfer-encoding']
  const isPacked = coding !== undefined && coding.toLowerCase() !== 'chunked'
  if (twice === undefined && !isPacked) return
  const [name, message] = twice !== undefined ? [twice, 'must come once'] : ['transfer-encoding', 'must be "chunked"']
  throw new ValidationError('validation_failed', `${name}: ${message}`, { errors: [{ path: `/${name}`, message }] })
}

/** The server that a request names in its first line, as requests to a proxy do. */
function authorityOf(url: string): string | undefined {
  if (url.startsWith('/') || url === '*') return undefined
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? ''
}

const LOCAL = ['127.0.0.1', 'localhost', '[::1]']

function isAllowedHost(host: string, { port, allowedHosts }: AddressRules): boolean {
  const asked = host.toLowerCase()
  if (LOCAL.some((name) => asked === `${name}:${port}` || (port === 80 && asked === name))) return true
  const bare = asked.replace(/:\d{1,5}$/, '')
  return allowedHosts.some((allowed) => allowed.toLowerCase() === asked || allowed.toLowerCase() === bare)
}

/** Whether a request names the very loopback address that it came to, such as 127.0.0.2; no name can be pointed at that. */
function isOwnAddress(host: string, localAddress: string | undefined, port: number): boolean {
  const address = localAddress?.replace(/^::ffff:/, '') ?? ''
  return /^127(\.\d{1,3}){3}$/.test(address) && (host === `${address}:${port}` || (port === 80 && host === address))
}

/** What a browser needs to hear before a page of an allowed origin may read the answer. */
export const originHeaders = (origin: string): Record<string, string> => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers':
    'Location, Link, ETag, Retry-After, X-Request-Id, x-should-retry, Idempotency-Replayed, RateLimit, RateLimit-Policy, Mcp-Session-Id, svc-feed-place',
  Vary: 'Origin',
})

/** @param asked the headers that a page of an allowed origin wants to send, as its browser says */
export const preflightHeaders = (methods: readonly string[], asked = ''): Record<string, string> => ({
  'Access-Control-Allow-Methods': methods.join(', '),
  // Clients of other protocols have headers of their own.
  'Access-Control-Allow-Headers': /^[\w-]+(?:, ?[\w-]+)*$/.test(asked) ? asked : 'Authorization, Content-Type',
  'Access-Control-Max-Age': '600',
})
