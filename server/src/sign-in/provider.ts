import { AuthError, CapacityError } from '@svc/core'
import type { ExportedJWKSCache, JWTVerifyGetKey } from 'jose'
import type { Configuration } from 'openid-client'
import { type Claims, saysRoles } from './person.ts'
import type { OidcSettings } from './settings.ts'

/** How long the provider may take for one answer. */
const TIMEOUT_S = 5
/** For so long nobody asks again that did not answer. */
const REST_MS = 5_000
/** What the clocks of provider and server may be apart. */
const CLOCK_S = 30
/** For so long its keys are good where it cannot be reached; else they are read again every ten minutes, and for a new one. */
const KEYS_MS = 86_400_000
/** Signatures whose key only the provider has: neither none, nor those of a secret that is shared. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** What says that no key fits: a better connection would not help. */
const OF_KEYS = new Set(['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'])

/** What of a sign-in stays with the browser until the provider has sent it back. */
export interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Where the provider sends the browser. */
  readonly redirectUri: string
}

interface Found {
  readonly client: typeof import('openid-client')
  readonly config: Configuration
  readonly keys: JWTVerifyGetKey
}

/** The provider that people sign in at. It is asked about itself when somebody needs it, not at the start. */
export class Provider {
  readonly #settings: OidcSettings
  #found: Promise<Found> | undefined
  #restsUntil = 0
  #failure: unknown

  constructor(settings: OidcSettings) {
    this.#settings = settings
  }

  /** Asks the provider about itself, once. @throws CapacityError `sign_in_unavailable` */
  find(): Promise<Found> {
    if (performance.now() < this.#restsUntil) throw this.#unavailable(this.#failure)
    this.#found ??= this.#discover().catch((thrown) => {
      this.#found = undefined
      this.#failure = thrown
      this.#restsUntil = performance.now() + REST_MS
      throw this.#unavailable(thrown)
    })
    return this.#found
  }

  /** Where a browser goes to sign in, and what to keep until it comes back. */
  async begin(redirectUri: string): Promise<{ location: string; begun: Begun }> {
    const { client, config } = await this.find()
    const begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
    }
    const location = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: (this.#settings.scopes ?? ['openid', 'profile', 'email']).join(' '),
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    })
    return { location: location.href, begun }
  }

  /**
   * What the provider says of who came back.
   *
   * @param query of the address that the browser was sent to, with its question mark
   * @throws AuthError `unauthenticated` for what is not the answer to what was begun; CapacityError `sign_in_unavailable`
   */
  async finish(query: string, { state, nonce, verifier, redirectUri }: Begun): Promise<Claims> {
    const { client, config } = await this.find()
    try {
      const tokens = await client.authorizationCodeGrant(config, new URL(redirectUri + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new AuthError('unauthenticated', 'the provider sent no ID token')
      // Some say groups there alone.
      if (saysRoles(claims, this.#settings) || config.serverMetadata().userinfo_endpoint === undefined) return claims
      return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
    } catch (thrown) {
      if (isUnreachable(thrown)) throw this.#unavailable(thrown)
      throw new AuthError('unauthenticated', `the sign-in failed: ${reasonOf(thrown)}`, { cause: thrown })
    }
  }

  /**
   * What the provider says in a token that a program has sent.
   *
   * @throws AuthError `unauthenticated` with what is wrong with it; CapacityError `sign_in_unavailable`
   */
  async verify(token: string, audience: string): Promise<Claims> {
    const { config, keys } = await this.find()
    const { jwtVerify } = await import('jose')
    const options = {
      issuer: config.serverMetadata().issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_S,
      requiredClaims: ['sub', 'exp'],
    }
    let claims: Claims
    try {
      claims = (await jwtVerify(token, keys, options)).payload
    } catch (thrown) {
      if (CapacityError.isInstance(thrown)) throw thrown
      throw new AuthError('unauthenticated', `the token is not good: ${reasonOf(thrown)}`, { cause: thrown })
    }
    // Such a token is good for its holder alone, and nothing here asks for the proof.
    if (claims.cnf !== undefined)
      throw new AuthError('unauthenticated', 'the token is bound to a key of its holder (cnf)')
    return claims
  }

  async #discover(): Promise<Found> {
    const [client, jose] = await Promise.all([import('openid-client'), import('jose')])
    const { issuer, clientId, clientSecret } = this.#settings
    const metadata = {
      [client.clockTolerance]: CLOCK_S,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      metadata,
      clientSecret === undefined ? client.None() : undefined,
      {
        timeout: TIMEOUT_S,
        execute: [client.enableNonRepudiationChecks, ...(isHttp(issuer) ? [client.allowInsecureRequests] : [])],
      },
    )
    const { jwks_uri: address } = config.serverMetadata()
    if (address === undefined) throw new Error('it names no keys (jwks_uri)')
    const cache: Partial<ExportedJWKSCache> = {}
    const remote = jose.createRemoteJWKSet(new URL(address), {
      timeoutDuration: TIMEOUT_S * 1_000,
      [jose.jwksCache]: cache as ExportedJWKSCache,
    })
    const keys: JWTVerifyGetKey = async (header, token) => {
      try {
        return await remote(header, token)
      } catch (thrown) {
        if (OF_KEYS.has(codeOf(thrown))) throw thrown
        const { jwks, uat = 0 } = cache
        if (jwks === undefined || Date.now() > uat + KEYS_MS) throw this.#unavailable(thrown)
        return jose.createLocalJWKSet(jwks)(header, token)
      }
    }
    return { client, config, keys }
  }

  #unavailable(cause: unknown): CapacityError {
    const message = `the provider ${this.#settings.issuer} cannot be asked: ${reasonOf(cause)}. Keys of the server are good all the same`
    return new CapacityError('sign_in_unavailable', message, {
      cause,
      details: { retryAfterSeconds: REST_MS / 1_000 },
    })
  }
}

const isHttp = (url: string): boolean => url.startsWith('http:')

const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | null)?.code ?? '')

/** Whether nothing came back: neither a refusal nor an answer. */
function isUnreachable(thrown: unknown): boolean {
  const { name, cause, status } = thrown as { name?: string; cause?: unknown; status?: number }
  if (codeOf(thrown) === 'OAUTH_TIMEOUT' || name === 'TimeoutError') return true
  if (status !== undefined && status >= 500) return true
  return thrown instanceof TypeError || (cause !== undefined && cause instanceof Error && isUnreachable(cause))
}

/** What went wrong in a few words, without tokens: those are in fields of their own. */
function reasonOf(thrown: unknown): string {
  const {
    message = String(thrown),
    cause,
    error,
    error_description: more,
  } = thrown as {
    message?: string
    cause?: { message?: string; code?: string }
    error?: string
    error_description?: string
  }
  if (error !== undefined)
    return [error, more]
      .filter((part) => part !== undefined)
      .join(': ')
      .slice(0, 300)
  const below = cause?.code ?? cause?.message
  return (below === undefined ? message : `${message} (${below})`).slice(0, 300)
}
