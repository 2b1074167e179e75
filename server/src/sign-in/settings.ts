import { ConfigError, type OidcConfig } from '@svc/core'

const NEEDED = ['issuer', 'clientId', 'roles'] as const

/** A sign-in with all that it needs. */
export type OidcSettings = OidcConfig & Required<Pick<OidcConfig, (typeof NEEDED)[number]>>

/** @throws ConfigError `config_invalid` naming what is missing, and for an issuer whose answers others on the way could change */
export function toOidcSettings(config: OidcConfig): OidcSettings {
  const { issuer, clientId, roles } = config
  if (issuer === undefined || clientId === undefined || roles === undefined) {
    const missing = NEEDED.filter((field) => config[field] === undefined)
    const names = missing.map((field) => `server.oidc.${field} (${variableOf(field)})`)
    throw new ConfigError('config_invalid', `people cannot sign in without ${names.join(' and ')}`)
  }
  assertIssuer(issuer)
  return { ...config, issuer, clientId, roles }
}

const variableOf = (field: string): string =>
  `SVC_SERVER_OIDC_${field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

function assertIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isLocal = url !== undefined && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/.test(url.hostname)
  if (url?.protocol === 'https:' || isLocal) return
  throw new ConfigError(
    'config_invalid',
    `server.oidc.issuer must be an address that begins with https://, not "${issuer}": http:// is for a provider on this machine alone`,
  )
}
