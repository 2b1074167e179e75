import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { ConfigError, type McpServerConfig } from '@svc/core'
import type { ClientPackage } from '../connect/load-client.ts'

/**
 * Signs in as svc itself, for servers that no person signs in to: with a secret, or with a key that signs (RFC 7523, 2015). Both go
 * to the `issuer` that the config names and to nobody else, whatever the server says.
 *
 * @throws ConfigError `config_invalid` naming what is missing
 */
export function toClientCredentials(
  { ClientCredentialsProvider, PrivateKeyJwtProvider }: ClientPackage,
  name: string,
  { clientId, clientSecret, privateKey, algorithm = 'ES256', issuer, scope }: NonNullable<McpServerConfig['oauth']>,
): OAuthClientProvider {
  const need = (field: string): ConfigError =>
    new ConfigError('config_invalid', `/mcpServers/${name}/oauth/${field} is needed where grant is client_credentials`)
  if (clientId === undefined) throw need('clientId')
  if (issuer === undefined) throw need('issuer')
  const client = { clientId, expectedIssuer: issuer, ...(scope !== undefined && { scope }) }
  if (privateKey !== undefined) return new PrivateKeyJwtProvider({ ...client, privateKey, algorithm })
  if (clientSecret === undefined) throw need('clientSecret, or privateKey,')
  return new ClientCredentialsProvider({ ...client, clientSecret })
}
