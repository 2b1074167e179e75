import type { RunChange, RunEvent, RunRow, Store } from '@svc/core'
import type { Database } from '../database.ts'
import type { Leases } from '../leases.ts'
import type { Owners } from '../owners.ts'
import { Engine, type SharedLimits, type Worker } from './engine.ts'
import { Places } from './places.ts'
import { Tickets } from './tickets.ts'

/** How often those are looked for whose process is gone. */
const LOOK_MS = 200
const SWEEP_MS = 5_000
/** What becomes free at once gets its tickets at once. */
const TOGETHER_MS = 5

type Start = Parameters<NonNullable<Store['dispatch']>>[0]
type Created = Awaited<ReturnType<Store['create']>>

export interface DispatcherOptions {
  db: Database
  leases: Leases
  owners: Owners
  teller: string
  clock: (() => number) | undefined
  limits: SharedLimits
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
  watch(handler: (runId: string, change: RunChange) => void): () => void
}

/** Hands runs of PostgreSQL to the worker of one runtime, by the queue of DBOS. */
export class Dispatcher {
  readonly #settings: DispatcherOptions
  readonly #tickets: Tickets
  readonly #worker: Worker
  readonly #begin: Start
  #engine: Engine | undefined
  #unwatch: () => void = () => {}
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #sweptAt = Number.NEGATIVE_INFINITY
  /** New runs of this process that it is about to hold. */
  readonly #taking = new Set<string>()
  /** Settles when what is being looked at was dealt with; undefined between two looks. */
  #working: Promise<void> | undefined
  #isMissed = false
  #isClosed = false

  constructor(settings: DispatcherOptions, start: Start, limit: number) {
    this.#settings = settings
    this.#begin = start
    this.#tickets = new Tickets({ ...settings, taking: this.#taking })
    this.#worker = {
      places: new Places(limit),
      work: start,
      giveBack: (runId, ticket, isFull) => this.#tickets.giveBack(runId, ticket, isFull || this.#isClosed),
    }
  }

  /** @throws SvcError `store_unavailable` */
  async open(): Promise<void> {
    const { db, limits, space, watch } = this.#settings
    this.#engine = await Engine.join(db, { limits, space }, this.#worker)
    this.#unwatch = watch((runId, change) => {
      if (change === 'events' || change === 'command' || (change === 'queued' && this.#taking.has(runId))) return
      this.#look(TOGETHER_MS)
    })
    this.#timer = setInterval(() => this.#look(0), LOOK_MS)
    this.#look(0)
  }

  /**
   * Makes a run that this process works on at once, without a ticket, while half of its places are free: the others stay
   * for what the queue hands out. Limits over all processes count tickets, and runs of a thread have an order.
   *
   * @param make makes it with its lease
   * @returns undefined where it needs a ticket: it was not made
   */
  make(
    { id, threadId }: RunRow,
    events: readonly RunEvent[],
    make: () => Promise<Created>,
  ): Promise<Created> | undefined {
    const { limits } = this.#settings
    const { places } = this.#worker
    const isLimited = limits.runningRuns !== undefined || limits.startsPerMinute !== undefined
    if (this.#isClosed || isLimited || threadId !== undefined || places.taken >= places.limit / 2) return undefined
    const isTaken = places.take(0)
    this.#taking.add(id)
    const giveBack = (isDone: boolean): void => {
      places.giveBack()
      this.#taking.delete(id)
      if (!isDone) this.#look(0)
    }
    return isTaken.then(make).then(
      ({ lease, ...created }) => {
        if (lease === undefined) giveBack(true)
        else this.#begin(id, { run: created.run, lease, events }).then(giveBack, () => giveBack(false))
        return created
      },
      (thrown) => {
        giveBack(false)
        throw thrown
      },
    )
  }

  /** @param drainMs how long what was handed out has to come back */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true
    this.#unwatch()
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    // A ticket that is being made needs DBOS, and holds a connection that the store waits for when it closes.
    await this.#working
    await this.#engine?.leave(this.#worker, drainMs)
  }

  #look(delayMs: number): void {
    if (this.#isClosed || this.#soon !== undefined) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      if (this.#working === undefined) this.#working = this.#work()
      else this.#isMissed = true
    }, delayMs)
  }

  /** Never rejects: what fails now is tried again at the next look. */
  async #work(): Promise<void> {
    const { owners } = this.#settings
    const engine = this.#engine
    try {
      await owners.observe()
      if (engine !== undefined && performance.now() - this.#sweptAt > SWEEP_MS) {
        this.#sweptAt = performance.now()
        await this.#tickets.sweep(engine)
      }
      if (engine !== undefined && !this.#isClosed) await this.#tickets.issue(engine)
    } catch {
      // A database that cannot be reached: those who work with it say so.
    }
    this.#working = undefined
    if (this.#isMissed) this.#look(TOGETHER_MS)
    this.#isMissed = false
  }
}
