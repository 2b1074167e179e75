import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { AuthError, type OidcConfig, PolicyError } from '@svc/core'
import type { Identity } from '../keys/caller.ts'
import { Cookie } from './cookies.ts'
import { identityOf, type Person, personOf } from './person.ts'
import { type Begun, Provider } from './provider.ts'
import { Seal } from './seal.ts'
import { type OidcSettings, toOidcSettings } from './settings.ts'

const SESSION_MINUTES = 60
/** How long somebody may take at the provider. */
const SIGN_IN_SECONDS = 600
const HOME = '/console/'
/** Three parts: neither a key of the server, which has no dots in this way, nor anything else. */
const TOKEN = /^[\w-]{2,}\.[\w-]+\.[\w-]+$/

export interface SignInSettings {
  readonly oidc: OidcConfig
  readonly publicUrl: string | undefined
}

/** What a page says of a sign-in that it begins. */
export interface SignInQuery {
  /** Address of the page to come back to, without the server. */
  readonly to?: string
  /** The browser was sent to the public address. */
  readonly moved?: string
}

/** A sign-in that ended, with what the browser keeps and where it goes. */
export interface Ended {
  readonly cookies: readonly string[]
  readonly location: string
}

/** People who sign in at a provider: by the console with a cookie, by programs with a token. */
export class SignIn {
  readonly #oidc: OidcSettings
  readonly #publicUrl: string | undefined
  readonly #provider: Provider
  readonly #seal: Seal
  readonly #begun: Cookie
  readonly #session: Cookie
  /** Until when somebody who asked is known, by holder. */
  readonly #holders = new Map<string, number>()
  /** Sessions that ended early, until they would have ended. */
  readonly #ended = new Map<string, number>()

  /** @throws ConfigError `config_invalid` as `toOidcSettings` */
  constructor({ oidc, publicUrl }: SignInSettings) {
    this.#oidc = toOidcSettings(oidc)
    this.#publicUrl = publicUrl?.replace(/\/$/, '')
    this.#provider = new Provider(this.#oidc)
    this.#seal = new Seal(this.#oidc)
    const isSecure = publicUrl?.startsWith('https:') ?? false
    this.#begun = new Cookie('svc-sign-in', isSecure)
    this.#session = new Cookie('svc-session', isSecure)
  }

  get issuer(): string {
    return this.#oidc.issuer
  }

  /** Looks whether the provider answers. @throws CapacityError `sign_in_unavailable` */
  async check(): Promise<void> {
    await this.#provider.find()
  }

  /** Who may read streams now, each with what a stream needs to go on. */
  holders(): ReadonlyMap<string, string> {
    const now = Date.now()
    for (const kept of [this.#holders, this.#ended])
      for (const [name, until] of kept) if (until <= now) kept.delete(name)
    return new Map([...this.#holders.keys()].map((holder) => [holder, '']))
  }

  /** Who sends a token; undefined for what is none. @throws as `Provider.verify` */
  async ofToken(token: string): Promise<Identity | undefined> {
    if (!TOKEN.test(token)) return undefined
    const { audience } = this.#oidc
    if (audience === undefined)
      throw new AuthError(
        'unauthenticated',
        'this server takes no tokens: server.oidc.audience of its config is not set',
      )
    const claims = await this.#provider.verify(token, audience)
    const person = personOf(claims, this.#oidc)
    return person && this.#know(person, Number(claims.exp) * 1_000)
  }

  /**
   * Who has signed in with this browser; undefined for nobody.
   *
   * @throws AuthError `origin_not_allowed` for a change that no page of the server's own asks for
   */
  async ofBrowser(message: IncomingMessage): Promise<Identity | undefined> {
    const session = await this.#sessionOf(message)
    if (session === undefined) return undefined
    assertOwnPage(message)
    return this.#know(session.person, session.until)
  }

  /** Begins a sign-in, at the public address. */
  async begin({ headers }: IncomingMessage, { to, moved }: SignInQuery): Promise<Ended> {
    const base = this.#publicUrl ?? `http://${headers.host}`
    // The cookie is of the host that it was set by, and the provider sends the browser to the public one. A proxy may hide it.
    if (moved === undefined && headers.host?.toLowerCase() !== new URL(base).host) {
      const query = new URLSearchParams({ ...(to !== undefined && { to }), moved: '1' })
      return { cookies: [], location: `${base}/auth/sign-in?${query}` }
    }
    const { location, begun } = await this.#provider.begin(`${base}/auth/callback`)
    const kept = { ...begun, to: pageOf(to) }
    const sealed = await this.#seal.close('svc-sign-in', randomUUID(), kept, SIGN_IN_SECONDS)
    return { cookies: [this.#begun.write(sealed, SIGN_IN_SECONDS)], location }
  }

  /**
   * Ends a sign-in: the provider has sent the browser back.
   *
   * @throws AuthError `unauthenticated`, PolicyError `policy_denied` where the provider has refused, CapacityError `sign_in_unavailable`
   */
  async finish(message: IncomingMessage): Promise<Ended & { person: Person }> {
    const sealed = this.#begun.read(message)
    const begun = sealed === undefined ? undefined : await this.#seal.open('svc-sign-in', sealed)
    if (begun === undefined)
      throw new AuthError('unauthenticated', 'this browser has begun no sign-in here in the last ten minutes')
    const { to, ...rest } = begun as unknown as Begun & { to: string }
    const query = (message.url ?? '').replace(/^[^?]*/, '')
    const { error } = Object.fromEntries(new URLSearchParams(query))
    if (error === 'access_denied') throw new PolicyError('policy_denied', 'the provider has refused the sign-in')
    const claims = await this.#provider.finish(query, rest)
    const person = personOf(claims, this.#oidc)
    if (person === undefined) throw new AuthError('unauthenticated', 'the provider does not say who it is: no sub')
    const seconds = (this.#oidc.sessionMinutes ?? SESSION_MINUTES) * 60
    const session = await this.#seal.close('svc-session', randomUUID(), { ...person }, seconds)
    return { person, location: to, cookies: [this.#begun.none(), this.#session.write(session, seconds)] }
  }

  /** Ends a session, also for a copy of its cookie, and its streams. @returns the cookie without it */
  async end(message: IncomingMessage): Promise<string> {
    const session = await this.#sessionOf(message)
    if (session !== undefined) {
      this.#ended.set(session.id, session.until)
      this.#holders.delete(identityOf(session.person, this.#oidc).holder)
    }
    return this.#session.none()
  }

  /** Takes away what a sign-in that failed has left. */
  forget(): string {
    return this.#begun.none()
  }

  #know(person: Person, until: number): Identity {
    const identity = identityOf(person, this.#oidc)
    this.#holders.set(identity.holder, Math.max(until, this.#holders.get(identity.holder) ?? 0))
    return identity
  }

  async #sessionOf(message: IncomingMessage): Promise<{ id: string; person: Person; until: number } | undefined> {
    const sealed = this.#session.read(message)
    const session = sealed === undefined || sealed === '' ? undefined : await this.#seal.open('svc-session', sealed)
    if (session === undefined || this.#ended.has(String(session.jti))) return undefined
    const { jti, exp, ...person } = session
    return { id: String(jti), person: person as unknown as Person, until: Number(exp) * 1_000 }
  }
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A browser sends the cookie by itself, whatever page asks: what changes something says that a page of ours does. */
function assertOwnPage({ method = '', headers }: IncomingMessage): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isOwn = origin === `http://${host}` || origin === `https://${host}`
  const isRead = READS.has(method) && origin === undefined
  if (isOwn || isRead || (origin === undefined && site === 'same-origin')) return
  throw new AuthError(
    'origin_not_allowed',
    'with a sign-in of a browser, only pages of the server itself change things',
  )
}

/** A page of the console, whatever an address says that somebody may have made. */
function pageOf(to: string | undefined): string {
  const base = 'http://svc.invalid'
  if (to === undefined || !URL.canParse(to, base)) return HOME
  const { origin, pathname, search, hash } = new URL(to, base)
  return origin === base && pathname.startsWith(HOME) ? pathname + search + hash : HOME
}
