import { type AdapterContext, ConfigError, type ModelServer, type ProviderConfig } from '@svc/core'

/** What the two vendors' own endpoints and variables are called. */
export interface Vendor {
  readonly baseUrl: string
  readonly baseUrlEnv: string
  readonly keyEnv: string
  /** Further headers that the official client reads from the process by itself. */
  readonly customHeadersEnv: string
}

export const OPENAI: Vendor = {
  baseUrl: 'https://api.openai.com/v1',
  baseUrlEnv: 'OPENAI_BASE_URL',
  keyEnv: 'OPENAI_API_KEY',
  customHeadersEnv: 'OPENAI_CUSTOM_HEADERS',
}

export const ANTHROPIC: Vendor = {
  baseUrl: 'https://api.anthropic.com',
  baseUrlEnv: 'ANTHROPIC_BASE_URL',
  keyEnv: 'ANTHROPIC_API_KEY',
  customHeadersEnv: 'ANTHROPIC_CUSTOM_HEADERS',
}

/** Of packages that know their own addresses and variables. */
export const NO_VENDOR: Vendor = { baseUrl: '', baseUrlEnv: '', keyEnv: '', customHeadersEnv: '' }

/** Where requests go and what goes with them. */
export interface Endpoint {
  readonly baseUrl: string
  /** The server that it names; undefined where it is no address. */
  readonly server: ModelServer | undefined
  /** Whether it is the vendor's own. */
  readonly official: boolean
  /** Whether it is the address that the vendor's base-URL variable names. */
  readonly fromEnv: boolean
  readonly apiKey: string | undefined
  /** Variables that the key is looked for in. */
  readonly keyNames: readonly string[]
  /** Whether a request without a key is pointless. */
  readonly keyNeeded: boolean
  /** For the official clients: a null takes a header away. */
  readonly headers: Readonly<Record<string, string | null>>
  readonly query: Readonly<Record<string, string>>
  /** Values that must not stand in a message. */
  readonly secrets: readonly string[]
}

const AUTH_HEADERS = ['authorization', 'x-api-key', 'api-key']

/**
 * Decides where a provider's requests go and which key they carry.
 *
 * A `baseUrl` from the config gets only the key named with it (`apiKeyEnv`, or one given by hand) or none. The vendor's
 * variable goes to the vendor's own origin, and to the address in the vendor's base-URL variable, because both come from
 * the process. The same holds for the further headers that the official clients would read from the process.
 *
 * @throws ConfigError `no_provider` when `{env:X}` names a variable that is not set
 */
export function toEndpoint(id: string, config: ProviderConfig, context: AdapterContext, vendor: Vendor): Endpoint {
  const { env } = context
  const named = toNames(config.apiKeyEnv)
  const vendorMeant = named.length === 0 || named.includes(vendor.keyEnv)
  const envBaseUrl = vendorMeant ? readEnv(env, vendor.baseUrlEnv) : undefined
  const baseUrl = trimSlashes(config.baseUrl ?? envBaseUrl ?? vendor.baseUrl)
  const official = toOrigin(baseUrl) === toOrigin(vendor.baseUrl)
  const fromEnv = !official && envBaseUrl !== undefined && trimSlashes(envBaseUrl) === baseUrl
  const own = official || fromEnv
  const keyNames = named.length > 0 ? named : own ? [vendor.keyEnv] : []
  const apiKey = context.apiKey ?? keyNames.map((name) => readEnv(env, name)).find((value) => value !== undefined)

  const given = fillFromEnv(id, config.headers, env)
  const query = fillFromEnv(id, config.query, env)
  const headers: Record<string, string | null> = {}
  for (const name of Object.keys(parseHeaderLines(process.env[vendor.customHeadersEnv]))) headers[name] = null
  if (own) Object.assign(headers, parseHeaderLines(env[vendor.customHeadersEnv]))
  for (const [name, value] of Object.entries(given.values)) headers[name.toLowerCase()] = value
  const authorized = AUTH_HEADERS.some((name) => typeof headers[name] === 'string')
  if (apiKey === undefined && typeof headers.authorization !== 'string') headers.authorization = null

  return {
    baseUrl,
    server: toServer(baseUrl),
    official,
    fromEnv,
    apiKey,
    keyNames,
    keyNeeded: !authorized && (official || named.length > 0),
    headers,
    query: query.values,
    secrets: [...(apiKey === undefined ? [] : [apiKey]), ...given.secrets, ...query.secrets],
  }
}

/** A variable's value; an empty one counts as not set. */
export function readEnv(env: AdapterContext['env'], name: string): string | undefined {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? undefined : value
}

/** @throws ConfigError `no_provider` where requests would need a key and there is none */
export function requireKey(id: string, endpoint: Endpoint): void {
  if (endpoint.apiKey !== undefined || !endpoint.keyNeeded) return
  const fixes = endpoint.keyNames.map((name) => `export ${name}=...`)
  throw new ConfigError(
    'no_provider',
    `provider '${id}' has no key. Fix: ${fixes.join(', or ')}; or use --provider offline, which needs none`,
  )
}

/** What to do about a missing or refused key. */
export function toKeyHint(keyNames: readonly string[]): string {
  return keyNames.length > 0 ? `check ${keyNames.join(' or ')}` : 'name its key with apiKeyEnv'
}

function toNames(names: string | readonly string[] | undefined): readonly string[] {
  return names === undefined ? [] : typeof names === 'string' ? [names] : names
}

function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

function toServer(url: string): ModelServer | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, port, protocol } = new URL(url)
  return { address: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}

function toOrigin(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function parseHeaderLines(lines: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of (lines ?? '').split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return headers
}

/** Headers or query with `{env:X}` replaced, and the values that were put in. */
function fillFromEnv(
  provider: string,
  map: Readonly<Record<string, string>> | undefined,
  env: AdapterContext['env'],
): { values: Record<string, string>; secrets: string[] } {
  const secrets: string[] = []
  const values: Record<string, string> = {}
  for (const [name, template] of Object.entries(map ?? {})) {
    values[name] = template.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_all, variable: string) => {
      const value = env[variable]
      if (value === undefined || value === '') {
        throw new ConfigError(
          'no_provider',
          `provider '${provider}': '${name}' needs the environment variable ${variable}, which is not set. Fix: export ${variable}=...`,
        )
      }
      secrets.push(value)
      return value
    })
  }
  return { values, secrets }
}
