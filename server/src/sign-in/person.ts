import { createHash } from 'node:crypto'
import type { Identity, Scope } from '../keys/caller.ts'
import type { OidcSettings } from './settings.ts'

/** What a provider says of a person. */
export type Claims = Readonly<Record<string, unknown>>

/** Who has signed in, as far as the server keeps it. */
export interface Person {
  /** `sub`, which the provider gives to nobody else. */
  readonly id: string
  /** As people are shown, and as the audit log has it. Names of keys have no colon. */
  readonly name: string
  /** Those of the values of `roleClaim` that `roles` has. */
  readonly roles: readonly string[]
}

const LONGEST_NAME = 100

/** Who a provider says somebody is; undefined where it does not say it. */
export function personOf(claims: Claims, config: OidcSettings): Person | undefined {
  const { sub: id } = claims
  if (typeof id !== 'string' || id === '') return undefined
  return { id, name: `oidc:${nameOf(claims, config) ?? cleaned(id)}`, roles: rolesOf(claims, config) }
}

/** What a person may ask for, and what is theirs. */
export function identityOf({ id, name, roles }: Person, config: OidcSettings): Identity {
  const scopes: Scope[] = [...new Set(roles.flatMap((role) => scopesOf(config, role)))]
  const owner = ownerOf(config, id)
  const holder = `person ${createHash('sha256').update(owner).digest('hex').slice(0, 16)}`
  return { caller: { name, scopes }, holder, owner, reach: scopes.includes('admin') ? {} : { owner } }
}

const ownerOf = ({ issuer }: OidcSettings, id: string): string => `oidc ${issuer.replace(/\/$/, '')}|${id}`

/** What a value of the claim stands for. A provider may say `constructor`. */
const scopesOf = ({ roles }: OidcSettings, role: string): readonly Scope[] =>
  Object.hasOwn(roles, role) ? (roles[role] ?? []) : []

function nameOf(claims: Claims, { nameClaim = 'preferred_username' }: OidcSettings): string | undefined {
  const named = [nameClaim, 'email'].map((claim) => (isProven(claim, claims) ? claims[claim] : undefined))
  const found = named.find((value): value is string => typeof value === 'string' && value.trim() !== '')
  return found === undefined ? undefined : cleaned(found)
}

/** Whether somebody else could not have said so: an address of mail that nobody has proven may be that of anybody. */
const isProven = (claim: string, claims: Claims): boolean => claim !== 'email' || claims.email_verified === true

/** A name without signs that hide or turn others around. */
const cleaned = (name: string): string =>
  name
    .normalize('NFC')
    .trim()
    .replace(/[^\p{L}\p{M}\p{N} ._@+'(),|:/-]/gu, '?')
    .slice(0, LONGEST_NAME)

/** Whether the claims have that of the roles, whatever it says. */
export const saysRoles = (claims: Claims, { roleClaim = 'roles' }: OidcSettings): boolean =>
  valueAt(claims, roleClaim) !== undefined

function rolesOf(claims: Claims, config: OidcSettings): string[] {
  const { roleClaim = 'roles' } = config
  if (!isProven(roleClaim, claims)) return []
  const said = valueAt(claims, roleClaim)
  const values = typeof said === 'string' ? [said] : Array.isArray(said) ? said : []
  return values.filter((value): value is string => typeof value === 'string' && scopesOf(config, value).length > 0)
}

/** A claim by its name, else by its path: names such as `https://example.com/roles` have dots of their own. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path.split('.').reduce<unknown>((inner, name) => {
    const isThere = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
    return isThere ? (inner as Claims)[name] : undefined
  }, claims)
}
