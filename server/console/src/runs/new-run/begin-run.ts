import type { Run, RunCreate, Runtime } from '@svc/sdk/remote'

/** Keys of requests: the same run asked for again, by a second click or after a lost answer, is the same request. */
export class RunKeys {
  #body = ''
  #key = ''

  keyOf(create: RunCreate): string {
    const body = JSON.stringify(create)
    if (this.#key === '' || body !== this.#body) {
      this.#body = body
      const bytes = crypto.getRandomValues(new Uint8Array(16))
      this.#key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    }
    return this.#key
  }

  /** What is asked for next is another run, though it says the same. */
  renew(): void {
    this.#key = ''
  }
}

/** Makes the run; a second call while the first is under way, or after it failed, makes no second run. */
export async function beginRun({ runs }: Runtime, create: RunCreate, keys: RunKeys): Promise<Run> {
  const run = await runs.create(create, { idempotencyKey: keys.keyOf(create) })
  keys.renew()
  return run
}
