import type { IncomingMessage } from 'node:http'
import { createId } from '@svc/core'

/** The id that the client gave its request, where it is a plain word, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && /^[\w-]{1,64}$/.test(given)) return given
  return createId('req', Date.now())
}
