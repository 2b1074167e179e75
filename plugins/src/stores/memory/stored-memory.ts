import { SvcError, ThreeLayerMemory, type ThreeLayerMemoryOptions, toSvcError, type Warning } from '@svc/core'
import type { DataStore } from './data-store.ts'
import type { MemoryTable } from './memory-table.ts'

type Memory = ThreeLayerMemory

/**
 * A `ThreeLayerMemory` over a data store: opened by the first call, and read again when another process has written.
 *
 * Where the store cannot be opened it remembers as long as the process, and says so once; `assertStored` is for callers
 * who will not have that. Calls are answered one after the other.
 */
export class StoredMemory extends ThreeLayerMemory {
  readonly #store: DataStore
  readonly #options: Omit<ThreeLayerMemoryOptions, 'backend'>
  readonly #warnings: Warning[] = []
  #memory: Memory | undefined
  #table: MemoryTable | undefined
  #hasFailed = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: DataStore, options: Omit<ThreeLayerMemoryOptions, 'backend'> = {}) {
    super(options)
    this.#store = store
    this.#options = options
  }

  override get unconsolidated(): number {
    return this.#table?.countFresh() ?? this.#memory?.unconsolidated ?? 0
  }

  override write(...args: Parameters<Memory['write']>): ReturnType<Memory['write']> {
    return this.#next((memory) => memory.write(...args))
  }

  override query(...args: Parameters<Memory['query']>): ReturnType<Memory['query']> {
    return this.#next((memory) => memory.query(...args))
  }

  override list(...args: Parameters<Memory['list']>): ReturnType<Memory['list']> {
    return this.#next((memory) => memory.list(...args))
  }

  override counts(): ReturnType<Memory['counts']> {
    return this.#next((memory) => memory.counts())
  }

  override get(...args: Parameters<Memory['get']>): ReturnType<Memory['get']> {
    return this.#next((memory) => memory.get(...args))
  }

  /** Deletes a record for good: its text is overwritten in the file and its log is emptied. */
  override forget(...args: Parameters<Memory['forget']>): ReturnType<Memory['forget']> {
    return this.#next(async (memory) => {
      const wasThere = await memory.forget(...args)
      this.#table?.purge()
      return wasThere
    })
  }

  override consolidate(...args: Parameters<Memory['consolidate']>): ReturnType<Memory['consolidate']> {
    return this.#next(async (memory) => {
      const report = await memory.consolidate(...args)
      this.#table?.markConsolidated()
      return report
    })
  }

  override snapshot(...args: Parameters<Memory['snapshot']>): ReturnType<Memory['snapshot']> {
    return this.#next((memory) => memory.snapshot(...args))
  }

  /** @throws SvcError `store_unavailable`, `disk_full` when what is written now would not outlive the process */
  assertStored(): void {
    this.#store.open()
  }

  /** What went wrong without ending anything, once each. */
  takeWarnings(): Warning[] {
    return [...this.#warnings.splice(0), ...this.#store.takeWarnings()]
  }

  /** Waits for calls under way, writes what was put off, and closes the file. */
  async close(): Promise<void> {
    await this.#last
    this.#table = undefined
    this.#memory = undefined
    this.#store.close()
  }

  /** One after the other, so that none works on a copy that is being replaced. */
  #next<T>(work: (memory: Memory) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      try {
        return await work(this.#current())
      } catch (thrown) {
        // What could not be written is not to be remembered either.
        if (SvcError.isInstance(thrown) && isOfStore(thrown) && this.#table !== undefined) this.#memory = undefined
        throw thrown
      }
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  #current(): Memory {
    if (this.#hasFailed && this.#memory !== undefined) return this.#memory
    if (this.#memory !== undefined && this.#table?.isStale() === false) return this.#memory
    try {
      this.#table = this.#store.memories
      this.#memory = new ThreeLayerMemory({ ...this.#options, backend: this.#table })
    } catch (thrown) {
      const { message } = toSvcError(thrown)
      this.#hasFailed = true
      this.#table = undefined
      this.#memory = new ThreeLayerMemory(this.#options)
      this.#warnings.push({
        code: 'memory_not_stored',
        message: `what is remembered now ends with this process: ${message}`,
      })
    }
    return this.#memory
  }
}

const isOfStore = ({ code }: SvcError): boolean => code === 'store_unavailable' || code === 'disk_full'
