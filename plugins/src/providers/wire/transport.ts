import type { AdapterContext } from '@svc/core'
import type { Dispatcher } from 'undici'
import { readProxies } from '../discovery/proxies.ts'
import { type CallTerms, Exchange } from './exchange.ts'

/** What the official clients hand over, and what svc puts beside it. */
type Sent = RequestInit & {
  terms: CallTerms
  /** The headers, where they were made before. */
  fixedHeaders?: Readonly<Record<string, string>>
}

/** One pool of connections for each set of proxies, shared by all providers of the process. */
const dispatchers = new Map<string, Promise<Dispatcher>>()

/**
 * A `fetch` for the official clients over undici's dispatcher: kept-alive connections, no web streams, no timer and one
 * abort listener a call. It follows no redirect, tries nothing twice, and answers with an `Exchange`, which has of a
 * `Response` what those clients use.
 */
export function createTransport(env: AdapterContext['env']): typeof fetch {
  let dispatcher: Dispatcher | undefined
  /** Nearly all requests of a client go to one address. */
  let last: { input: string; href: string; origin: string; path: string } | undefined
  return async (input, init) => {
    dispatcher ??= await openDispatcher(env)
    const { terms, method, headers, fixedHeaders, body } = init as Sent
    if (last === undefined || last.input !== input) {
      const { href, origin, pathname, search } = new URL(String(input))
      last = { input: String(input), href, origin, path: pathname + search }
    }
    const exchange = new Exchange(last.href, terms)
    if (terms.signal.aborted) return (await exchange.head) as never
    dispatcher.dispatch(
      {
        origin: last.origin,
        path: last.path,
        method: method as Dispatcher.HttpMethod,
        headers: fixedHeaders ?? Object.fromEntries(headers as Headers),
        body: (body ?? null) as string | null,
        headersTimeout: terms.headTimeoutMs,
        bodyTimeout: terms.silenceTimeoutMs,
      },
      exchange,
    )
    return (await exchange.head) as unknown as Response
  }
}

/** A plain `fetch` over the same connections and proxies, for packages that bring clients of their own. It follows no redirect. */
export function createFetch(env: AdapterContext['env']): typeof fetch {
  return async (input, init) => {
    const [dispatcher, undici] = await Promise.all([openDispatcher(env), import('undici/index.js')])
    const options = { redirect: 'manual', ...init, dispatcher } as Parameters<typeof undici.fetch>[1]
    return (await undici.fetch(input as string, options)) as unknown as Response
  }
}

function openDispatcher(env: AdapterContext['env']): Promise<Dispatcher> {
  const proxies = readProxies(env)
  const key = JSON.stringify(proxies)
  let opened = dispatchers.get(key)
  if (opened === undefined) {
    // By its file: what Bun gives under the bare name has no dispatcher.
    opened = import('undici/index.js').then(({ Agent, EnvHttpProxyAgent }) =>
      proxies === undefined ? new Agent() : new EnvHttpProxyAgent({ ...proxies, proxyTunnel: false }),
    )
    dispatchers.set(key, opened)
  }
  return opened
}
