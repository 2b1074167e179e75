import { AsyncResource } from 'node:async_hooks'
import type { RunChange, RunEvent, RunRow, Store } from '@svc/core'
import type { Database } from '../database.ts'
import type { Leases } from '../leases.ts'
import type { Owners } from '../owners.ts'
import { Engine, type SharedLimits, type Worker } from './engine.ts'
import { Places } from './places.ts'
import { type Offer, Turns } from './turns.ts'

/** How often those are looked for whose process is gone, and, while runs wait, whether they may begin. */
const LOOK_MS = 500
/** How often runs are looked for whose note was lost, and what others have left behind. */
const SWEEP_MS = 5_000
/** How often tickets are looked at that nobody has any more. */
const TICKETS_MS = 20_000
/** What becomes free at once is taken at once. */
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
  mayMigrate: boolean
  /** Only runs of this space, and those of none. Undefined: all. */
  space: string | undefined
  watch(handler: (runId: string, change: RunChange) => void): () => void
}

/**
 * Hands runs of PostgreSQL to the worker of one runtime. Notes say that runs wait; then there are tickets in the queue of DBOS,
 * which says how many may be at work. Who has a ticket works on whose turn it is, until nobody waits.
 */
export class Dispatcher {
  readonly #settings: DispatcherOptions
  readonly #turns: Turns
  readonly #worker: Worker
  readonly #begin: Start
  /** Outside of all tickets: what DBOS is asked inside of one, it records as a part of it. */
  readonly #outside = new AsyncResource('svc-dispatch')
  #engine: Engine | undefined
  #unwatch: () => void = () => {}
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #sweptAt = Number.NEGATIVE_INFINITY
  #ticketsAt = Number.NEGATIVE_INFINITY
  /** New runs of this process that it is about to hold. */
  readonly #taking = new Set<string>()
  /** Whether runs may wait that this process could begin. */
  #isCrowded = true
  /** Whether it is time to look who is gone: not at each note. */
  #isTime = true
  /** Whether it has to be asked at the next look whether runs wait. */
  #isDue = false
  /** Other processes that were at tickets. */
  #others: readonly number[] = []
  /** Those who are gone and whose runs were released. */
  #gone: readonly number[] = []
  /** Settles when what is being looked at was dealt with; undefined between two looks. */
  #working: Promise<void> | undefined
  #isMissed = false
  #isClosed = false

  constructor(settings: DispatcherOptions, start: Start, limit: number) {
    this.#settings = settings
    this.#begin = start
    this.#turns = new Turns(settings)
    this.#worker = { places: new Places(limit), work: (isOne) => this.#workOn(isOne) }
  }

  /** @throws SvcError `store_unavailable` */
  async open(): Promise<void> {
    const { db, limits, mayMigrate, space, owners, watch } = this.#settings
    this.#engine = await Engine.join(db, { limits, mayMigrate, space, process: owners.own }, this.#worker)
    this.#unwatch = watch((runId, change) => {
      if (change === 'events' || change === 'command' || (change === 'queued' && this.#taking.has(runId))) return
      // What has ended may have kept another from beginning: that is soon enough seen at the next look.
      if (change === 'status' && !this.#isCrowded) this.#isDue = true
      else this.#crowd(TOGETHER_MS)
    })
    this.#timer = setInterval(() => this.#observe(), LOOK_MS)
    this.#working = this.#work()
    await this.#working
  }

  /**
   * Makes a run that this process works on at once, without a ticket, while half of its places are free and nobody waits: the
   * others stay for what the queue hands out. Limits over all processes count tickets, and runs of a thread have an order.
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
    if (this.#isClosed || this.#isCrowded || isLimited || threadId !== undefined) return undefined
    if (places.taken >= places.limit / 2) return undefined
    const isTaken = places.take(0)
    this.#taking.add(id)
    const giveBack = (): void => {
      places.giveBack()
      this.#taking.delete(id)
      if (this.#isCrowded) this.#look(0)
    }
    return isTaken.then(make).then(
      ({ lease, ...created }) => {
        if (lease === undefined) giveBack()
        else this.#begin(id, { run: created.run, lease, events }).then(giveBack, giveBack)
        return created
      },
      (thrown) => {
        giveBack()
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
    // What is being asked needs DBOS, and holds a connection that the store waits for when it closes.
    await this.#working
    await this.#engine?.leave(this.#worker, drainMs)
  }

  /** Works on whose turn it is, until nobody waits. @returns whether there was somebody */
  async #workOn(isOne: boolean): Promise<boolean> {
    for (let hasWorked = false; ; ) {
      const offer = this.#isClosed || (isOne && hasWorked) ? undefined : await this.#turns.next()
      if (offer === undefined) {
        this.#look(TOGETHER_MS)
        return hasWorked
      }
      if (await this.#begin(offer.runId).catch(() => false)) hasWorked = true
      else await this.#giveBack(offer)
    }
  }

  async #giveBack(offer: Offer): Promise<void> {
    const delayMs = await this.#turns.giveBack(offer, this.#isClosed)
    setTimeout(() => this.#crowd(0), delayMs).unref()
  }

  /** Runs may wait. */
  #crowd(delayMs: number): void {
    this.#isCrowded = true
    this.#look(delayMs)
  }

  #observe(): void {
    this.#isTime = true
    this.#look(0)
  }

  #look(delayMs: number): void {
    if (this.#isClosed || this.#soon !== undefined) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      if (this.#working === undefined) this.#working = this.#outside.runInAsyncScope(() => this.#work())
      else this.#isMissed = true
    }, delayMs)
  }

  /** Never rejects: what fails now is tried again at the next look. */
  async #work(): Promise<void> {
    try {
      await this.#sweep()
      await this.#ask()
    } catch {
      // A database that cannot be reached: those who work with it say so.
    }
    this.#working = undefined
    if (this.#isMissed) this.#look(TOGETHER_MS)
    this.#isMissed = false
  }

  /** Looks who is gone, and releases their runs and tickets. */
  async #sweep(): Promise<void> {
    if (!this.#isTime) return
    this.#isTime = false
    const { owners } = this.#settings
    const againMs = await owners.observe(this.#others)
    if (againMs !== undefined) setTimeout(() => this.#observe(), againMs).unref()
    const isNew = owners.gone.some((process) => !this.#gone.includes(process))
    const now = performance.now()
    if (this.#isClosed || !(isNew || now - this.#sweptAt > SWEEP_MS)) return
    this.#sweptAt = now
    await this.#turns.releaseLeft()
    this.#isDue = true
    if (!isNew && now - this.#ticketsAt <= TICKETS_MS) return
    this.#ticketsAt = now
    this.#others = (await this.#engine?.sweep(owners.gone)) ?? []
    this.#gone = owners.gone
  }

  /** Has tickets for the runs that wait, as far as there are places here. */
  async #ask(): Promise<void> {
    const { places } = this.#worker
    const free = places.limit - places.taken
    if (!(this.#isCrowded || this.#isDue) || free <= 0 || this.#isClosed) return
    this.#isCrowded = false
    this.#isDue = false
    const waiting = await this.#turns.waiting(free)
    if (waiting === 0) return
    this.#isCrowded = true
    if (!this.#isClosed) await this.#engine?.ask(waiting)
  }
}
