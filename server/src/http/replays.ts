import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ValidationError } from '@svc/core'
import type { Answer } from './answer.ts'

const DAY_MS = 86_400_000
const MOST = 10_000

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

interface Earlier {
  bodyHash: string
  answer: Promise<Answer>
  endsAt: number
}

/**
 * Answers of requests that make no run, by key, for a day or as long as the process. A second request joins the first one;
 * what failed may be tried again.
 */
export class Replays {
  readonly #earlier = new Map<string, Earlier>()

  /** @throws ValidationError `idempotency_mismatch` */
  async once(request: Asked & { body: unknown }, work: () => Promise<Answer>): Promise<Answer> {
    const key = idempotencyKeyOf(request)
    if (key === undefined) return work()
    const name = `${scopeOf(request)} ${key}`
    const bodyHash = createHash('sha256').update(JSON.stringify(request.body)).digest('hex')
    const earlier = this.#earlier.get(name)
    if (earlier !== undefined && earlier.endsAt > Date.now()) {
      if (earlier.bodyHash !== bodyHash) throw mismatch(key)
      const answer = await earlier.answer
      return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } }
    }
    const answer = work()
    this.#earlier.delete(name)
    this.#earlier.set(name, { bodyHash, answer, endsAt: Date.now() + DAY_MS })
    if (this.#earlier.size > MOST) this.#earlier.delete(this.#earlier.keys().next().value as string)
    try {
      return await answer
    } catch (thrown) {
      this.#earlier.delete(name)
      throw thrown
    }
  }
}

const mismatch = (key: string): ValidationError =>
  new ValidationError('idempotency_mismatch', `the key "${key}" was used for another request: take a new one`)
