import { userInfo } from 'node:os'
import { ConfigError, SvcError } from '@svc/core'

/** What a connection goes through that is gone, was refused for now, or lost against another: asking again may help. */
const PASSING = /^(?:08|25P03|57P0[1-5]|53300|40001|40P01|55P03|57014)/
const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])
const PASSING_TEXTS = /terminat|timeout|deadlock|connection.{0,200}(?:closed|ended)|not queryable/i

const codeOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : ''

/** Whether the same statement may succeed when it is asked again. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOf(thrown)
  if (code !== '') return PASSING.test(code) || PASSING_CODES.has(code)
  if (thrown instanceof AggregateError) return thrown.errors.some(isPassing)
  // What DBOS says it could not start for.
  if (thrown instanceof Error && 'error' in thrown) return isPassing(thrown.error)
  return thrown instanceof Error && PASSING_TEXTS.test(thrown.message)
}

/** Where a database is, without the password. */
export interface DatabaseAddress {
  host: string
  database: string
  user: string
}

/**
 * Where an address leads.
 *
 * @throws ConfigError `config_invalid` for what is no address; it is not repeated, since it may hold a password
 */
export function placeOf(url: string): DatabaseAddress {
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw new TypeError('no host follows the scheme')
    const { searchParams, host, pathname, username } = new URL(url)
    const user = decodeURIComponent(username) || process.env.PGUSER || userInfo().username
    return {
      host: searchParams.get('host') ?? (host === '' ? 'localhost' : host),
      database: decodeURIComponent(pathname.slice(1)) || process.env.PGDATABASE || user,
      user,
    }
  } catch {
    throw new ConfigError(
      'config_invalid',
      '/store/url (or SVC_DATABASE_URL) is no address of PostgreSQL: write postgres://user:password@host:5432/database, with % and two digits for signs such as @ # / % in the password',
    )
  }
}

const unavailable = (message: string, cause?: unknown, retryable = false): SvcError =>
  new SvcError('store_unavailable', message, { retryable, ...(cause === undefined ? {} : { cause }) })

/** What a failure of the database means, and what to do about it. */
export function toStoreError(thrown: unknown, { host, database, user }: DatabaseAddress): SvcError {
  if (SvcError.isInstance(thrown)) return thrown
  // What DBOS says it could not start for.
  if (thrown instanceof Error && 'error' in thrown) return toStoreError(thrown.error, { host, database, user })
  const code = codeOf(thrown)
  const said = thrown instanceof Error && thrown.message !== '' ? thrown.message : code
  if (code === '28P01' || code === '28000' || /password/i.test(said)) {
    return unavailable(
      `PostgreSQL at ${host} refuses the user ${user}: check the name and the password in store.url or SVC_DATABASE_URL, and pg_hba.conf`,
      thrown,
    )
  }
  if (code === '3D000') {
    return unavailable(`PostgreSQL at ${host} has no database ${database}: run createdb ${database}`, thrown)
  }
  if (code === '42501') {
    return unavailable(
      `${user} lacks a right in the database ${database} at ${host} (${said}): let its owner run CREATE SCHEMA svc AUTHORIZATION ${user}; CREATE SCHEMA svc_dbos AUTHORIZATION ${user}`,
      thrown,
    )
  }
  if (code === '42P07') {
    return unavailable(
      `the schema svc in the database ${database} at ${host} belongs to another program (${said}): use another database`,
      thrown,
    )
  }
  if (code === '53100') {
    return new SvcError('disk_full', `PostgreSQL at ${host} cannot write: its disk is full`, { cause: thrown })
  }
  if (code === '55P03') {
    return unavailable(
      `the tables of svc in the database ${database} at ${host} are in use, so they cannot be changed: end long transactions, such as backups`,
      thrown,
      true,
    )
  }
  if (code === 'ENOTFOUND') {
    return unavailable(`there is no host ${host}: check store.url or SVC_DATABASE_URL`, thrown)
  }
  if (/\bSSL\b|certificate/.test(said)) {
    return unavailable(
      `PostgreSQL at ${host}: ${said}: write at the end of its address ?sslmode=verify-full&sslrootcert=ca.pem with the file of its CA, ?sslmode=no-verify for TLS that checks nobody, or ?sslmode=disable for none`,
      thrown,
    )
  }
  if (isPassing(thrown)) {
    return unavailable(
      `PostgreSQL at ${host} cannot be reached (${said || 'no answer'}): start it, or check store.url or SVC_DATABASE_URL`,
      thrown,
      true,
    )
  }
  return unavailable(`PostgreSQL at ${host}: ${said}`, thrown)
}

/** The number of the run whose row was refused because there is no partition for it. */
export function missingPlaceOf(thrown: unknown): number | undefined {
  if (!SvcError.isInstance(thrown) || codeOf(thrown.cause) !== '23514') return undefined
  const { detail } = thrown.cause as { detail?: string }
  const [, run] = /\((\d+)\)\D*$/.exec(detail ?? '') ?? []
  return run === undefined ? undefined : Number(run)
}

/** Whether a row was refused because there is one of its key. */
export const isUniqueViolation = (thrown: unknown): boolean =>
  SvcError.isInstance(thrown) && codeOf(thrown.cause) === '23505'
