import { type AdapterContext, ConfigError, redact } from '@svc/core'
import { readEnv } from './endpoint.ts'

export interface Proxies {
  /** Empty: none. */
  readonly httpProxy: string
  readonly httpsProxy: string
  /** Hosts that are reached without them, separated by commas. */
  readonly noProxy: string
}

/**
 * The proxies that the environment names: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` where the one for the scheme is not
 * set, `NO_PROXY`; the lower-case name counts before the upper-case one.
 *
 * @returns undefined where none is named
 * @throws ConfigError `config_invalid` for an address that is none
 */
export function readProxies(env: AdapterContext['env']): Proxies | undefined {
  const read = (name: string): string => readEnv(env, name.toLowerCase()) ?? readEnv(env, name) ?? ''
  const all = read('ALL_PROXY')
  const httpProxy = toAddress('HTTP_PROXY', read('HTTP_PROXY') || all)
  const httpsProxy = toAddress('HTTPS_PROXY', read('HTTPS_PROXY') || all)
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy: read('NO_PROXY') }
}

/** An address without a scheme is one of HTTP. */
function toAddress(name: string, given: string): string {
  if (given === '') return ''
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`
  if (/^(https?|socks5?):/i.test(address) && URL.canParse(address)) return address
  throw new ConfigError(
    'config_invalid',
    `${name} (or ALL_PROXY) is '${redact(given)}', which is no proxy that svc can use; write http://host:port`,
  )
}
