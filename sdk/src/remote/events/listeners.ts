import type { Run, RunEvent } from '@svc/core/client'
import { isTerminalEvent } from '@svc/core/client'
import { quietly } from '../quietly.ts'
import { sleep } from '../retry.ts'

type Handler = (event: RunEvent) => void
type Follow = (id: string, after: number, signal: AbortSignal) => AsyncIterable<RunEvent>

/** Who waits for its end is not kept longer than this by events that do not come. */
const CATCH_UP_MS = 5_000
/** Runs that nobody waits for are not remembered for ever. */
const MOST_UNFINISHED = 10_000

/** The stream of one run. */
interface Followed {
  stop: AbortController
  /** Resolves when the stream has ended, for whatever reason. */
  over: Promise<void>
  /** Called when the run has begun to wait, and when the stream is over. */
  wake: () => void
}

/** Handlers of events, and the streams of the runs that they are for: those that this client began. */
export class Listeners {
  readonly #follow: Follow
  readonly #handlers = new Set<{ handle: Handler }>()
  /** Runs that have not ended as far as is known, with the number that somebody who comes now hears from. */
  readonly #unfinished = new Map<string, number>()
  readonly #followed = new Map<string, Followed>()

  constructor(follow: Follow) {
    this.#follow = follow
  }

  get areThere(): boolean {
    return this.#handlers.size > 0
  }

  /** @returns how to stop listening */
  add(handle: Handler): () => void {
    const entry = { handle }
    this.#handlers.add(entry)
    for (const [id, after] of this.#unfinished) this.#start(id, after)
    return () => {
      this.#handlers.delete(entry)
      if (this.#handlers.size > 0) return
      for (const { stop } of this.#followed.values()) stop.abort()
    }
  }

  /** A run was begun by this client. */
  begun({ id, lastSeq }: Run, isNew: boolean): void {
    if (this.#unfinished.has(id)) return
    this.#unfinished.set(id, lastSeq)
    if (this.#unfinished.size > MOST_UNFINISHED) this.#unfinished.delete(this.#unfinished.keys().next().value as string)
    if (this.#handlers.size > 0) this.#start(id, isNew ? 0 : lastSeq)
  }

  /** A run was seen at its end: resolves when all handlers have heard of it. */
  async ended(id: string): Promise<void> {
    const followed = this.#followed.get(id)
    this.#unfinished.delete(id)
    if (followed !== undefined) await Promise.race([followed.over, sleep(CATCH_UP_MS)])
  }

  /** Resolves when a run that is followed waits or has ended; undefined where it is not followed. */
  change(id: string): Promise<void> | undefined {
    const followed = this.#followed.get(id)
    if (followed === undefined) return undefined
    const { wake } = followed
    return new Promise((resolve) => {
      followed.wake = () => {
        wake()
        resolve()
      }
    })
  }

  #start(id: string, after: number): void {
    if (this.#followed.has(id)) return
    const stop = new AbortController()
    const followed: Followed = { stop, over: Promise.resolve(), wake: () => {} }
    this.#followed.set(id, followed)
    followed.over = this.#listen(id, after, followed)
      // What the stream could not be followed for, the one who waits for the run hears too.
      .catch(() => {})
      .finally(() => {
        this.#followed.delete(id)
        followed.wake()
      })
  }

  async #listen(id: string, after: number, followed: Followed): Promise<void> {
    for await (const event of this.#follow(id, after, followed.stop.signal)) {
      if (event.seq !== undefined && this.#unfinished.has(id)) this.#unfinished.set(id, event.seq)
      for (const { handle } of this.#handlers) quietly(() => handle(event))
      if (event.type === 'run.waiting') followed.wake()
      if (isTerminalEvent(event)) this.#unfinished.delete(id)
    }
  }
}
