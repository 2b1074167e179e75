import type { OnceRequest } from '../../../contracts/runtime/runtime.ts'
import type { KeyedAnswer, Store } from '../../../contracts/store/store.ts'
import { ValidationError } from '../../../errors.ts'
import { createId, digest } from '../../../support/ids.ts'

/** How long an idempotency key is remembered. */
export const KEY_MS = 86_400_000
/** How long a process that is silent keeps a key. */
const HOLD_MS = 15_000
const RENEW_MS = 5_000
const POLL_MS = 25
/** How many keys are taken between two looks for those that have run out. */
const SWEEP_EVERY = 32

/**
 * Work that is done once for a key within 24 hours, over all processes that share a store. Who comes while it is being
 * done waits for it; who comes after a process that ended in the middle does it again, and is handed that fact. What is
 * kept is the id of what was made, and nothing of its content.
 */
export class KeyedWork {
  readonly #answers: Store['answers']
  readonly #clock: () => number
  #taken = 0

  constructor({ store, clock }: { store: Pick<Store, 'answers'>; clock: () => number }) {
    this.#answers = store.answers
    this.#clock = clock
  }

  /**
   * @param work answers the id of what it made
   * @throws ValidationError `idempotency_mismatch`; what the work threw, which may then be tried again
   */
  async once(
    { scope, key, bodyHash }: OnceRequest,
    work: (isAgain: boolean) => Promise<string>,
  ): Promise<{ id: string; isReplayed: boolean }> {
    const name = digest(scope, key)
    const token = createId('key', this.#clock())
    for (;;) {
      const known = await this.#answers.get(name)
      const now = this.#clock()
      const isOpen = known === undefined || known.expiresAt <= now
      if (!isOpen) {
        if (known.bodyHash !== bodyHash) {
          const message = `the idempotency key "${key}" was used with another body: take a new one`
          throw new ValidationError('idempotency_mismatch', message)
        }
        if (known.madeId !== undefined) return { id: known.madeId, isReplayed: true }
        if (known.heldUntil > now) {
          await new Promise((resolve) => setTimeout(resolve, POLL_MS))
          continue
        }
      }
      const mine: KeyedAnswer = { name, bodyHash, token, heldUntil: now + HOLD_MS, expiresAt: now + KEY_MS }
      if (!(await this.#take(name, known, mine))) continue
      await this.#sweep(now)
      return { id: await this.#do(name, mine, () => work(!isOpen)), isReplayed: false }
    }
  }

  /** A store that lost its connection may answer that somebody else was first, where it was this. */
  async #take(name: string, before: KeyedAnswer | undefined, mine: KeyedAnswer): Promise<boolean> {
    if (await this.#answers.replace(name, before, mine)) return true
    return (await this.#answers.get(name))?.token === mine.token
  }

  async #do(name: string, taken: KeyedAnswer, work: () => Promise<string>): Promise<string> {
    let mine = taken
    let renewing: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      const later = { ...mine, heldUntil: this.#clock() + HOLD_MS }
      renewing = Promise.resolve(this.#answers.replace(name, mine, later)).then(
        (isMine) => {
          if (isMine) mine = later
        },
        () => {}, // it is held for a while yet
      )
    }, RENEW_MS)
    timer.unref()
    try {
      const madeId = await work()
      clearInterval(timer)
      await renewing
      await this.#answers.replace(name, mine, { ...mine, madeId })
      return madeId
    } catch (thrown) {
      clearInterval(timer)
      await renewing
      // Where even that fails, the key is held for a while yet.
      await Promise.resolve(this.#answers.replace(name, mine, undefined)).catch(() => {})
      throw thrown
    }
  }

  /** Removes what has run out, now and then. */
  async #sweep(now: number): Promise<void> {
    if (++this.#taken % SWEEP_EVERY !== 0) return
    const { data } = await this.#answers.list({ order: 'asc', limit: 100 })
    for (const old of data) if (old.expiresAt <= now) await this.#answers.replace(old.name, old, undefined)
  }
}
