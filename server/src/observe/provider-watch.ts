import type { ErrorInfo, RunEvent, Runtime } from '@svc/core'
import { READ_MS, within } from './store-watch.ts'

/** One refusal says that a key is good no more; of other errors so many in a row say that a provider is away. */
const MOST_FAILURES = 3
const OF_PROVIDER: ReadonlySet<string> = new Set([
  'provider_auth',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_bad_response',
  'provider_timeout',
])

/** What the newest model calls of this process say of each provider. It makes none of its own. */
export class ProviderWatch {
  readonly #failures = new Map<string, { code: string; count: number }>()
  readonly #called = new Set<string>()
  readonly #runtime: Partial<Pick<Runtime, 'health'>>

  /** @param runtime whose default model is looked at when somebody reads */
  constructor(runtime: Partial<Pick<Runtime, 'health'>> = {}) {
    this.#runtime = runtime
  }

  apply(event: RunEvent): void {
    if (event.type === 'model.completed' && !event.data.cached) {
      this.#called.add(event.data.provider)
      this.#failures.delete(event.data.provider)
    } else if (event.type === 'model.failed') this.#failed(event.data.provider, event.data.error)
  }

  #failed(provider: string, { code }: ErrorInfo): void {
    if (!OF_PROVIDER.has(code)) return
    this.#called.add(provider)
    this.#failures.set(provider, { code, count: (this.#failures.get(provider)?.count ?? 0) + 1 })
  }

  /** A new config may have another key. */
  forget(): void {
    this.#failures.clear()
    this.#called.clear()
  }

  /** Each provider that was called, with its state, and `none` where no default model can be found. */
  async states(): Promise<[provider: string, state: string][]> {
    // What else it looks at, such as the store, may be away.
    const health = await within(READ_MS, Promise.resolve(this.#runtime.health?.())).catch(() => undefined)
    const missing = health?.checks?.provider
    const called = [...this.#called].map((provider): [string, string] => [provider, this.stateOf(provider)])
    return missing === undefined ? called : [...called, ['none', missing]]
  }

  /** `ok`, or the code of its newest error. */
  stateOf(provider: string): string {
    const failed = this.#failures.get(provider)
    if (failed === undefined) return 'ok'
    return failed.code === 'provider_auth' || failed.count >= MOST_FAILURES ? failed.code : 'ok'
  }
}
