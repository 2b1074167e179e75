import { SvcError } from '@svc/core/client'
import type { RemoteOptions } from '../remote-options.ts'
import { createHttp } from './create-http.ts'

/** Who a client is to its server: a name, and what it may do; nothing for somebody who has signed in and has no role. */
export interface Session {
  name: string
  scopes: readonly ('submit' | 'approve' | 'admin')[]
}

/** @throws AuthError `unauthenticated` for a wrong key, and for none where one is needed */
export const readSession = (options: RemoteOptions): Promise<Session> => createHttp(options).json('GET', '/v1/session')

/** Where people sign in. */
export interface SignInOptions {
  /** Address of the provider. */
  issuer: string
}

/** Where people sign in to a server; undefined where they do not. */
export async function readSignIn(options: RemoteOptions): Promise<SignInOptions | undefined> {
  try {
    return await createHttp(options).json('GET', '/auth/options')
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'route_not_found') return undefined
    throw thrown
  }
}

/** Ends the session that a browser has with its server. */
export const signOut = (options: RemoteOptions): Promise<void> => createHttp(options).json('POST', '/auth/sign-out')

/** Exchanges the code of a link to the console for a key. @throws AuthError `unauthenticated` for one that was used */
export async function exchangeCode(options: RemoteOptions, code: string): Promise<string> {
  const { key } = await createHttp(options).json<{ key: string }>('POST', '/v1/session', { body: { code } })
  return key
}
