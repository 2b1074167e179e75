import { ConfigError, ConnectionError, type McpServerConfig } from '@svc/core'
import { expandServer } from '../connect/expand.ts'
import { loadClientPackage } from '../connect/load-client.ts'
import { createServerFetch } from '../connect/server-fetch.ts'
import { type McpServer, openMcpServer } from '../server.ts'
import type { McpPlace } from '../types.ts'
import { listenForCallback } from './callback.ts'
import { OAuthProvider } from './provider.ts'

/** How a person signs in. */
export interface LoginOptions {
  /** The person's own folder, where the login is kept. */
  userDir: string
  place: McpPlace
  /** Shows the person the address to open in a browser of this machine. */
  onAddress(address: URL): void
  /** Ends the wait for the person. */
  signal?: AbortSignal
}

/** A server may ask for more rights once it has seen the first ones. */
const MOST_ROUNDS = 3

/**
 * Connects to a server with an address, and has a person sign in where it asks for that (OAuth 2.1, authorization code with
 * PKCE; the browser comes back to a port of 127.0.0.1). The login is kept for the person.
 *
 * @returns the server, and whether the person had to sign in
 * @throws ConfigError `config_invalid` for a server without an address; ConnectionError `connection_failed`; the signal's reason
 */
export async function logInToMcpServer(
  name: string,
  config: McpServerConfig,
  { userDir, place, onAddress, signal }: LoginOptions,
): Promise<{ server: McpServer; hasSignedIn: boolean }> {
  const { url: address, oauth } = expandServer(name, config, place)
  if (address === undefined)
    throw new ConfigError('config_invalid', `/mcpServers/${name} has a command and no address: there is no login`)
  if (oauth?.grant === 'client_credentials')
    return { server: await openMcpServer(name, config, place), hasSignedIn: false }
  const { href: url } = new URL(address)
  const known = new OAuthProvider(name, userDir, { url, oauth })
  if (known.isEnough) {
    const server = await openMcpServer(name, config, { ...place, authProvider: known }).catch(() => undefined)
    if (server !== undefined) return { server, hasSignedIn: false }
  }
  const callback = await listenForCallback(oauth?.callbackPort)
  let asked: URL | undefined
  const interaction = {
    redirectUrl: callback.url,
    onAddress: (found: URL): void => {
      asked = found
    },
  }
  const provider = new OAuthProvider(name, userDir, { url, oauth }, interaction)
  try {
    for (let round = 0; ; round++) {
      try {
        const server = await openMcpServer(name, config, { ...place, authProvider: provider })
        return { server, hasSignedIn: round > 0 }
      } catch (thrown) {
        // Each way to connect that was tried has asked; the last address counts.
        if (asked === undefined || round === MOST_ROUNDS) throw thrown
      }
      onAddress(asked)
      asked = undefined
      await redeem(name, url, provider, await callback.wait(provider.expectedState, signal))
    }
  } finally {
    callback.close()
  }
}

/** Exchanges what the browser has brought for tokens. */
async function redeem(name: string, url: string, provider: OAuthProvider, params: URLSearchParams): Promise<void> {
  const [code, iss, error] = ['code', 'iss', 'error'].map((field) => params.get(field) ?? undefined)
  const fail = (why: string, cause?: unknown) =>
    new ConnectionError('connection_failed', `the MCP server "${name}" did not let you in: ${why}`, { cause })
  // What else stands there may come from somebody else than the server that was asked.
  if (code === undefined) throw fail(/^[a-z_]{1,40}$/.test(error ?? '') ? `${error}` : 'it sent no code')
  const { auth } = await loadClientPackage()
  const fetchFn = createServerFetch({ url: new URL(url), headers: {}, maxBytes: 1 << 20 })
  try {
    await auth(provider, { serverUrl: url, authorizationCode: code, ...(iss !== undefined && { iss }), fetchFn })
  } catch (thrown) {
    throw fail(thrown instanceof Error ? thrown.message.slice(0, 500) : String(thrown), thrown)
  }
}
