import { AuthError, PolicyError, type Reach } from '@svc/core'

/** What a key is for: runs of its own; answers to what runs of others ask; everything. */
export type Scope = 'submit' | 'approve' | 'admin'

/** Who sends a request. */
export interface Caller {
  /** Of a person who has signed in `oidc:` and their name; of a key of the keys file its name; `owner` for `SERVICE_API_KEY`, `local` for the key of this machine, `anonymous` for none. */
  readonly name: string
  readonly scopes: readonly Scope[]
}

/**
 * What a request needs: `self`: to be known, whatever else; `read`: any good key, or none where none is set; `overview`: to see what everybody does; `submit`: to
 * make and cancel runs; `keep`: to write and forget what is the caller's own; `approve`: to answer what runs ask; `admin`: all else.
 */
export type Need = 'self' | 'read' | 'overview' | 'submit' | 'keep' | 'approve' | 'admin'

/** Who asks, and what is theirs. */
export interface Identity {
  readonly caller: Caller
  /** A name of the key that gives nothing of it away. */
  readonly holder: string
  /** Whose memory is meant: that of the key's name, or of the key alone; empty for the shared one. */
  readonly owner: string
  /** What they see: everything, or what is theirs. */
  readonly reach: Pick<Reach, 'owner'>
}

/** What is good where no key is set. */
export const LOCAL_KEY = 'the key of this machine (server.key in the data folder)'

export const ANONYMOUS: Caller = { name: 'anonymous', scopes: ['submit'] }

export const isAdmin = ({ scopes }: Caller): boolean => scopes.includes('admin')

function may(caller: Caller, need: Need): boolean {
  if (isAdmin(caller) || need === 'self') return true
  // Somebody whom the provider knows is nobody here before a role says so.
  if (need === 'read') return caller.scopes.length > 0
  if (caller.name === ANONYMOUS.name) return need === 'submit' || need === 'overview'
  return caller.scopes.includes(need === 'approve' ? 'approve' : 'submit') && need !== 'overview' && need !== 'admin'
}

/**
 * @param what what is asked for, in words
 * @throws AuthError `unauthenticated` for nobody in particular; PolicyError `policy_denied` for a key that is for something else
 */
export function assertMay(caller: Caller, need: Need, what: string, errors: PolicyError['errors'] = []): void {
  if (may(caller, need)) return
  const fields = errors.length > 0 ? { errors } : {}
  if (caller.name === ANONYMOUS.name)
    throw new AuthError('unauthenticated', `${what} needs ${LOCAL_KEY}, and none was sent that is good`, fields)
  const { name, scopes } = caller
  if (scopes.length === 0)
    throw new PolicyError(
      'policy_denied',
      `"${name}" has no role on this server: none of what server.oidc.roleClaim says of them is in server.oidc.roles`,
    )
  const wanted = need === 'keep' ? 'submit' : need === 'overview' ? 'admin' : need
  const message = `${what} needs the scope ${wanted}: "${name}" has ${scopes.join(', ')}`
  throw new PolicyError('policy_denied', message, fields)
}
