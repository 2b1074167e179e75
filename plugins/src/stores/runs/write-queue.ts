import { SvcError } from '@svc/core'
import type { Meter } from '../meter.ts'
import { isBusy, type Sqlite } from '../sqlite.ts'

/** Writes of one group; more wait for the next. */
const MOST = 256
/** How long writes wait for other processes. */
const PATIENCE_MS = 5_000

export interface WriteQueueSettings {
  db: Sqlite
  /** True: every write is a transaction of its own. */
  isSingle: boolean
  meter: Meter
  onBegin(): void
  /** Nothing of a group was written: what was noted about it in memory is wrong. */
  onRollback(): void
}

interface Write {
  work(): unknown
  alone(): unknown
  /** Called when it is durable. */
  after(result: unknown): void
  resolve(result: unknown): void
  reject(thrown: unknown): void
}

/**
 * Group commit: what several runs write while the event loop is busy becomes one transaction, and one `fsync`.
 *
 * A write that returns an `SvcError`, or throws one that is not the engine's, is refused by itself: it has written nothing
 * yet. What the engine throws takes the whole group with it.
 */
export class WriteQueue {
  readonly #settings: WriteQueueSettings
  #waiting: Write[] = []
  #due: (() => void) | undefined
  #busySince: number | undefined
  #onIdle: (() => void)[] = []

  constructor(settings: WriteQueueSettings) {
    this.#settings = settings
  }

  /**
   * @param work writes, inside a transaction with others; returns an `SvcError` where it refuses before it writes
   * @param after called at once when it is durable, before the promise's own callbacks
   * @param alone writes by one statement outside of a transaction; undefined where it has written nothing
   */
  add<T>(
    work: () => T | SvcError,
    after: (result: T) => void = () => {},
    alone: () => T | undefined = () => undefined,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work,
        alone,
        after: after as (result: unknown) => void,
        resolve: resolve as (result: unknown) => void,
        reject,
      })
      this.#flushSoon()
    })
  }

  /** Resolves when nothing waits to be written. */
  idle(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  #flushSoon(delayMs?: number): void {
    if (this.#due !== undefined) return
    if (delayMs === undefined) {
      const immediate = setImmediate(() => this.#flush())
      this.#due = () => clearImmediate(immediate)
    } else {
      const timer = setTimeout(() => this.#flush(), delayMs)
      this.#due = () => clearTimeout(timer)
    }
  }

  #flush(): void {
    this.#due = undefined
    const group = this.#waiting.splice(0, this.#settings.isSingle ? 1 : MOST)
    const isWritten = this.#commit(group)
    if (!isWritten) this.#waiting.unshift(...group)
    if (this.#waiting.length > 0) this.#flushSoon(isWritten ? undefined : 5 + Math.random() * 20)
    else for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** @returns false where another process holds the file: the group is to be tried again */
  #commit(group: readonly Write[]): boolean {
    const { db, meter, onBegin, onRollback } = this.#settings
    let results: unknown[]
    onBegin()
    const started = meter.begin()
    try {
      const [first] = group
      const single = group.length === 1 && first !== undefined ? attempt(first.alone) : undefined
      results = single === undefined ? db.transaction(() => group.map(({ work }) => attempt(work))) : [single]
    } catch (thrown) {
      onRollback()
      this.#busySince ??= performance.now()
      if (isBusy(thrown) && performance.now() - this.#busySince < PATIENCE_MS) return false
      this.#busySince = undefined
      const reason = isBusy(thrown) ? tooBusy(db.file, thrown) : thrown
      for (const { reject } of group) reject(reason)
      return true
    }
    this.#busySince = undefined
    meter.written(started)
    for (const [index, { resolve, reject }] of group.entries()) {
      const result = results[index]
      if (result instanceof SvcError) reject(result)
      else resolve(result)
    }
    for (const [index, { after }] of group.entries()) {
      const result = results[index]
      if (!(result instanceof SvcError)) after(result)
    }
    return true
  }
}

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (thrown) {
    const isOwn = SvcError.isInstance(thrown) && (thrown.cause === undefined || thrown.code === 'log_corrupt')
    if (isOwn) return thrown
    throw thrown
  }
}

const tooBusy = (file: string, cause: unknown): SvcError =>
  new SvcError(
    'store_unavailable',
    `${file} was held by other processes for more than ${PATIENCE_MS / 1000} s: try again`,
    { cause },
  )
