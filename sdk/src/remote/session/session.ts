import type { RemoteOptions } from '../remote-options.ts'
import { createHttp } from './create-http.ts'

/** Who a client is to its server: the name of its key, and what that is for. */
export interface Session {
  name: string
  scopes: readonly ('submit' | 'approve' | 'admin')[]
}

/** @throws AuthError `unauthenticated` for a wrong key, and for none where one is needed */
export const readSession = (options: RemoteOptions): Promise<Session> => createHttp(options).json('GET', '/v1/session')

/** Exchanges the code of a link to the console for a key. @throws AuthError `unauthenticated` for one that was used */
export async function exchangeCode(options: RemoteOptions, code: string): Promise<string> {
  const { key } = await createHttp(options).json<{ key: string }>('POST', '/v1/session', { body: { code } })
  return key
}
