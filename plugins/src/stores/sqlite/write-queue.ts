import { SvcError } from '@svc/core'
import type { Meter } from '../meter.ts'
import { isBusy, isFull, type Sqlite } from './file/sqlite.ts'

/** Writes of one group; more wait for the next. */
const MOST = 256
/** Turns of the event loop in which a group may grow. */
const MOST_TURNS = 8
/** How long a write waits for other processes where nobody said for how long. */
const PATIENCE_MS = 5_000
/** The pause before a group is tried again: the first, and the longest. */
const PAUSE_MS = [10, 100] as const

export interface WriteQueueOptions {
  db: Sqlite
  /** True: every write is a transaction of its own. */
  isSingle: boolean
  meter: Meter
  /** Called when what a group has written is undone. */
  onUndone(): void
}

interface Write {
  work(): unknown
  patienceMs: number
  /** On `performance.now()`: it waits for other processes until then. */
  until: number
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
  readonly #settings: WriteQueueOptions
  #waiting: Write[] = []
  #due: (() => void) | undefined
  /** How often the group that is first has met the lock of another process. */
  #busy = 0
  #onIdle: (() => void)[] = []

  constructor(settings: WriteQueueOptions) {
    this.#settings = settings
  }

  /**
   * @param work writes, inside a transaction with others; returns an `SvcError` where it refuses before it writes
   * @param after called at once when it is durable, before the promise's own callbacks
   * @param patienceMs how long it waits for other processes. Default 5000
   * @throws SvcError `store_unavailable` where they held the file for longer: nothing was written
   */
  add<T>(work: () => T | SvcError, after: (result: T) => void = () => {}, patienceMs = PATIENCE_MS): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work,
        patienceMs,
        until: performance.now() + patienceMs,
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
      this.#flushAfter(this.#waiting.length)
    } else {
      const timer = setTimeout(() => this.#flush(), delayMs)
      this.#due = () => clearTimeout(timer)
    }
  }

  /** Flushes once a turn of the event loop brings no more: clients whose writes were just answered are about to send others. */
  #flushAfter(count: number, turns = MOST_TURNS): void {
    const immediate = setImmediate(() => {
      const { length } = this.#waiting
      if (length > count && turns > 0) this.#flushAfter(length, turns - 1)
      else this.#flush()
    })
    this.#due = () => clearImmediate(immediate)
  }

  #flush(): void {
    this.#due = undefined
    const group = this.#waiting.splice(0, this.#settings.isSingle ? 1 : MOST)
    const left = this.#commit(group)
    this.#busy = left.length === 0 ? 0 : this.#busy + 1
    this.#waiting.unshift(...left)
    if (this.#waiting.length > 0) this.#flushSoon(this.#busy === 0 ? undefined : pauseMs(this.#busy))
    else for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /**
   * @param isFirst whether a full disk is met for the first time
   * @returns what another process keeps from being written, and is to be tried again
   */
  #commit(group: readonly Write[], isFirst = true): Write[] {
    const { db, meter, onUndone } = this.#settings
    let results: unknown[]
    const started = meter.begin()
    try {
      results = db.transaction(() => group.map(({ work }) => attempt(work)))
    } catch (thrown) {
      onUndone()
      if (isFirst && isFull(thrown) && db.reuseLog()) return this.#commit(group, false)
      const now = performance.now()
      const isLate = ({ until }: Write): boolean => !isBusy(thrown) || until <= now
      for (const { reject, patienceMs } of group.filter(isLate))
        reject(isBusy(thrown) ? tooBusy(db.file, patienceMs, thrown) : thrown)
      return group.filter((write) => !isLate(write))
    }
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
    return []
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

function pauseMs(tries: number): number {
  const [first, longest] = PAUSE_MS
  return Math.min(longest, first * 2 ** (tries - 1)) * (0.5 + Math.random())
}

const tooBusy = (file: string, patienceMs: number, cause: unknown): SvcError =>
  new SvcError(
    'store_unavailable',
    `${file} was held by other processes for more than ${patienceMs / 1000} s: try again`,
    { cause },
  )
