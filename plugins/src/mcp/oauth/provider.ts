import { randomBytes } from 'node:crypto'
import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { ConnectionError, type McpServerConfig } from '@svc/core'
import { type Login, LoginStore } from './logins.ts'

/** How a person is sent to sign in. */
export interface Interaction {
  /** Where the browser comes back to. */
  redirectUrl: string
  onAddress(address: URL): void
}

/**
 * Signs in to one server, for the vendor's package, which does the protocol: what it is handed is kept in the person's file.
 *
 * Without an `interaction` it uses and renews a login, and throws ConnectionError `connection_failed` where a person has to sign in.
 */
export class OAuthProvider implements OAuthClientProvider {
  readonly #name: string
  readonly #store: LoginStore
  readonly #oauth: McpServerConfig['oauth']
  readonly #interaction: Interaction | undefined
  /** A login that has begun: nothing of an earlier one is used for it. */
  #begun: Login = {}
  #verifier = ''
  readonly expectedState = randomBytes(24).toString('base64url')

  /**
   * @param userDir the person's own folder, where logins are kept
   * @param server its address and, where the vendor knows svc already, under which name
   */
  constructor(
    name: string,
    userDir: string,
    { url, oauth }: { url: string; oauth?: McpServerConfig['oauth'] },
    interaction?: Interaction,
  ) {
    this.#name = name
    this.#store = new LoginStore(userDir, name, url)
    this.#oauth = oauth
    this.#interaction = interaction
  }

  get #login(): Login {
    return this.#interaction === undefined ? this.#store.read() : this.#begun
  }

  /** Whether there is a login to use. */
  get isKnown(): boolean {
    return this.#store.read().tokens !== undefined
  }

  /** Whether it gives all the rights that the server has asked for. */
  get isEnough(): boolean {
    return this.isKnown && this.#store.read().wanted === undefined
  }

  get redirectUrl(): string {
    return this.#interaction?.redirectUrl ?? this.#login.redirectUrl ?? 'http://127.0.0.1/callback'
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'svc',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: this.#oauth?.clientSecret === undefined ? 'none' : 'client_secret_post',
    }
  }

  state(): string {
    return this.expectedState
  }

  clientInformation(): Login['client'] {
    const { clientId, clientSecret } = this.#oauth ?? {}
    if (clientId === undefined) return this.#login.client
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
  }

  async saveClientInformation(client: NonNullable<Login['client']>): Promise<void> {
    await this.#change((login) => ({ ...login, client }))
  }

  tokens(): Login['tokens'] {
    return this.#login.tokens
  }

  async saveTokens(tokens: NonNullable<Login['tokens']>): Promise<void> {
    if (this.#interaction === undefined) return this.#change((login) => ({ ...login, tokens }))
    this.#begun = { ...this.#begun, tokens, redirectUrl: this.redirectUrl }
    await this.#store.write(() => this.#begun)
  }

  async redirectToAuthorization(address: URL): Promise<void> {
    const scope = address.searchParams.get('scope') ?? ''
    if (this.#interaction === undefined) {
      await this.#change((login) => ({ ...login, wanted: scope }))
      throw needsLogin(this.#name)
    }
    const scopes = new Set([scope, this.#store.read().wanted ?? ''].flatMap((list) => list.split(' ')).filter(Boolean))
    if (scopes.size > 0) address.searchParams.set('scope', [...scopes].join(' '))
    this.#interaction.onAddress(address)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#change((login) => ({ ...login, discovery }))
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#login.discovery
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const used = this.#login.tokens?.refresh_token
    await this.#change(({ client, tokens, discovery, ...login }) => ({
      ...login,
      ...(client && !['all', 'client'].includes(scope) && { client }),
      // Another process may have renewed them meanwhile.
      ...(tokens && (!['all', 'tokens'].includes(scope) || tokens.refresh_token !== used) && { tokens }),
      ...(discovery && !['all', 'discovery'].includes(scope) && { discovery }),
    }))
  }

  async #change(change: (login: Login) => Login): Promise<void> {
    if (this.#interaction === undefined) await this.#store.write(change)
    else this.#begun = change(this.#begun)
  }
}

/** The error of a server that wants a person to sign in. */
const needsLogin = (name: string, cause?: unknown): ConnectionError =>
  new ConnectionError(
    'connection_failed',
    `the MCP server "${name}" wants a login. Fix: svc mcp login ${name}, or its headers`,
    {
      cause,
    },
  )

/** What a connection failed with, where that is that nobody has signed in. */
export function findLoginNeed(name: string, thrown: unknown): ConnectionError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { status } = (error as { data?: { status?: unknown } }).data ?? {}
    if (status === 401 || error.constructor.name === 'UnauthorizedError') return needsLogin(name, thrown)
  }
  return undefined
}
