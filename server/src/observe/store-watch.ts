import { type Runtime, SvcError, toSvcError } from '@svc/core'
import { timeOfId } from '@svc/core/support'

const CHECK_MS = 5_000
/** A store that is away is not waited for by who reads metrics: they have what else there is to say. */
export const READ_MS = 2_000
/** How often it is looked at where nobody asks. */
const WATCH_MS = 5_000
/** For so long what was seen of a store is answered again: however often somebody asks, it is written to once. */
const FRESH_MS = 1_000

/** How the store is, and what waits in it for this folder, whichever process has taken it in. */
export class StoreWatch {
  readonly #runtime: Runtime
  readonly #seen = new Map<string, { at: number; value: Promise<unknown> }>()
  /** What was said of the store last. */
  #last = 'ok'
  #onTimed: (operation: 'check' | 'read', seconds: number) => void = () => {}

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Calls a handler with how long the store took, from now on. */
  onTimed(handler: (operation: 'check' | 'read', seconds: number) => void): void {
    this.#onTimed = handler
  }

  /** Whether the store takes a write within five seconds: `ok`, or the code of what is wrong. A warning of the process says when that changes. */
  state(): Promise<string> {
    return this.#fresh('state', async () => {
      const error = await this.#look()
      const code = error?.code ?? 'ok'
      if (code !== this.#last) say(error)
      this.#last = code
      return code
    })
  }

  /** Looks every few seconds from now on, so that a change is said also where nobody asks. @returns how to stop */
  begin(): () => void {
    const timer = setInterval(() => void this.state(), WATCH_MS).unref()
    return () => clearInterval(timer)
  }

  async #look(): Promise<SvcError | undefined> {
    try {
      await this.#timed('check', CHECK_MS, async () => {
        await (this.#runtime.assertWritable?.() ?? this.#runtime.runs.list({ limit: 1 }))
      })
      return undefined
    } catch (thrown) {
      return toSvcError(thrown)
    }
  }

  /** Seconds since the oldest queued run was asked for; 0 where none is; undefined where the store does not say. */
  async queueAge(): Promise<number | undefined> {
    return ageOf(
      await this.#oldest('queue', async () => {
        const { data } = await this.#runtime.runs.list({ status: 'queued', limit: 1, order: 'asc' })
        return data.map(({ createdAt }) => Date.parse(createdAt))
      }),
    )
  }

  /** Seconds since the oldest open approval was asked for, as `queueAge`. */
  async approvalAge(): Promise<number | undefined> {
    return ageOf(
      await this.#oldest('approvals', async () => {
        const { data } = await this.#runtime.approvals.list({ status: 'pending', limit: 1, order: 'asc' })
        return data.map(({ id }) => timeOfId(id))
      }),
    )
  }

  /** When the oldest of something began; 0: there is none; undefined: nobody knows. */
  #oldest(what: string, read: () => Promise<number[]>): Promise<number | undefined> {
    return this.#fresh(what, async () => {
      try {
        return (await this.#timed('read', READ_MS, read))[0] ?? 0
      } catch {
        return undefined
      }
    })
  }

  #fresh<Value>(what: string, look: () => Promise<Value>): Promise<Value> {
    const last = this.#seen.get(what)
    const at = performance.now()
    if (last !== undefined && at - last.at < FRESH_MS) return last.value as Promise<Value>
    const value = look()
    this.#seen.set(what, { at, value })
    return value
  }

  async #timed<Value>(operation: 'check' | 'read', mostMs: number, work: () => Promise<Value>): Promise<Value> {
    const started = performance.now()
    try {
      return await within(mostMs, work())
    } finally {
      this.#onTimed(operation, (performance.now() - started) / 1000)
    }
  }
}

/**
 * Says by a warning of the process that the store of a runtime takes no write, whose `code` says why, and when it takes writes again.
 * A server does so by itself.
 *
 * @returns how to stop
 */
export const watchStore = (runtime: Runtime): (() => void) => new StoreWatch(runtime).begin()

function say(error: SvcError | undefined): void {
  if (error === undefined) process.emitWarning('the store takes writes again', 'SvcWarning')
  else process.emitWarning(`the store takes no write: ${error.message} [${error.code}]`, 'SvcWarning', error.code)
}

/** @throws SvcError `store_unavailable` for what takes longer */
export async function within<Value>(mostMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SvcError('store_unavailable', 'no answer from the store')), mostMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The clock of a database may be ahead of this one. */
const ageOf = (since: number | undefined): number | undefined =>
  since === undefined || since === 0 ? since : Math.max(0, (Date.now() - since) / 1000)
