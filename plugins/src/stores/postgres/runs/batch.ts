/** Most that one statement writes. */
const MOST = 64

interface Waiting<T, R> {
  item: T
  resolve(result: R): void
  reject(thrown: unknown): void
}

/**
 * Group commit: what several runs ask for while a statement is under way goes into the next, in one transaction.
 */
export class Batch<T, R> {
  readonly #execute: (items: readonly T[]) => Promise<(R | Error)[]>
  readonly #most: number
  readonly #keyOf: (item: T) => string | undefined
  #waiting: Waiting<T, R>[] = []
  #isBusy = false
  #onIdle: (() => void)[] = []

  /**
   * @param execute answers for each item its result, or the error that it alone ends with
   * @param keyOf two items of one key never go into one statement, and leave in order
   */
  constructor(
    execute: (items: readonly T[]) => Promise<(R | Error)[]>,
    { most = MOST, keyOf = () => undefined }: { most?: number; keyOf?: (item: T) => string | undefined } = {},
  ) {
    this.#execute = execute
    this.#most = most
    this.#keyOf = keyOf
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => void this.#flush())
    })
  }

  /** Resolves when nothing waits to be written. */
  idle(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#onIdle.push(resolve)) : Promise.resolve()
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#take()
      try {
        const results = await this.#execute(group.map(({ item }) => item))
        for (const [index, { resolve, reject }] of group.entries()) {
          const result = results[index]
          if (result instanceof Error) reject(result)
          else resolve(result as R)
        }
      } catch (thrown) {
        for (const { reject } of group) reject(thrown)
      }
      // Those who were just answered may have more to write.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isBusy = false
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  #take(): Waiting<T, R>[] {
    const keys = new Set<string>()
    const group: Waiting<T, R>[] = []
    const left: Waiting<T, R>[] = []
    for (const each of this.#waiting) {
      const key = this.#keyOf(each.item)
      const isTaken = group.length >= this.#most || (key !== undefined && keys.has(key))
      ;(isTaken ? left : group).push(each)
      if (key !== undefined) keys.add(key)
    }
    this.#waiting = left
    return group
  }
}
