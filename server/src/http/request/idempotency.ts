import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ValidationError } from '@svc/core'
import type { RouteRequest } from '../../routes/route.ts'
import type { Answer } from '../answer.ts'

interface Asked {
  holder: string
  message: IncomingMessage
}

/** The `Idempotency-Key` of a request. @throws ValidationError for one that is no plain word */
export function idempotencyKeyOf({ message }: Asked): string | undefined {
  const key = message.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new ValidationError('validation_failed', 'Idempotency-Key: must be 1 to 255 visible ASCII characters', {
    errors: [{ path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  })
}

/** Whose key it is. */
export const scopeOf = ({ holder, message }: Asked): string =>
  `${holder} ${message.method} ${(message.url ?? '').split('?')[0]}`

/**
 * Answers a request that makes something else than a run: once for its key, and from then on with what is there under
 * the id of what it made.
 *
 * @param make answers the id of what it made; handed whether a process that ended in the middle may have made it
 * @param show the answer
 * @throws ValidationError `idempotency_mismatch`
 */
export async function answerOnce(
  request: RouteRequest,
  make: (isAgain: boolean) => Promise<string>,
  show: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const key = idempotencyKeyOf(request)
  const { once } = request.context.runtime
  if (key === undefined || once === undefined) return show(await make(false))
  const bodyHash = createHash('sha256').update(JSON.stringify(request.body)).digest('hex')
  const { id, isReplayed } = await once({ scope: scopeOf(request), key, bodyHash }, make)
  const answer = await show(id)
  return isReplayed ? { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } } : answer
}
