import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ConflictError } from '@svc/core'

/** The strong tag of a body. */
export const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`

const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Whether the reader has this body already. */
export function isKnownTo({ headers, method }: IncomingMessage, tag: string): boolean {
  const header = headers['if-none-match']
  if (header === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  return header.trim() === '*' || tagsIn(header).includes(tag)
}

/**
 * Holds an `If-Match` against what is there now.
 *
 * @throws ConflictError `version_conflict`
 */
export async function assertMatch({ headers }: IncomingMessage, current: () => Promise<unknown>): Promise<void> {
  const header = headers['if-match']
  if (header === undefined || header.trim() === '*') return
  if (tagsIn(header).includes(tagOf(JSON.stringify(await current())))) return
  throw new ConflictError('version_conflict', 'it was changed since it was read: read it again and repeat the change')
}
