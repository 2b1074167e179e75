import type { RunEvent } from '../../../contracts/log/event.ts'
import type { Lease } from '../../../contracts/log/journal.ts'
import type { Activity, Measurement } from '../../../contracts/log/measurement.ts'
import type { ClaimedRun, Holder, MaybePromise, RunChange, RunRow, Store } from '../../../contracts/store/store.ts'
import { createId } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import type { Failures } from '../service/failures.ts'
import { isElsewhere } from '../service/place.ts'
import type { RunQueue } from '../service/queue.ts'
import { raisedLimits } from '../service/run-limits.ts'
import { activityOf } from './activity.ts'
import { isLate } from './announce-start.ts'
import { leftToOthersFor } from './doubts.ts'
import { HeldRuns } from './held-runs.ts'
import { checkKeptPlan } from './missing-parts.ts'
import { SkippedRuns } from './skipped-runs.ts'
import { isSuspect, Suspects } from './suspects.ts'

type Created = Awaited<ReturnType<Store['create']>>

const LATE = 'looking for runs that have waited too long'

/** Finds the runs that this process is to work on, and claims them. */
export class Worker {
  readonly #current: () => Environment
  readonly #queue: RunQueue
  readonly #failures: Failures
  readonly #owner: string
  readonly #held: HeldRuns
  /** Runs that this process works on where it works on none but its own. */
  readonly #own = new Set<string>()
  /** Runs that wait here, and have for too long. */
  readonly #late = new Set<string>()
  readonly #suspects = new Suspects()
  #left: SkippedRuns
  #unwatch: () => void = () => {}
  /** The store hands out runs by itself. */
  readonly #isDispatched: boolean
  #stopDispatch: ((drainMs: number) => Promise<void>) | undefined
  #timer: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined
  /** When it goes off, by `performance.now()`. */
  #laterAt = Number.POSITIVE_INFINITY
  #isClaiming = false
  /** New runs that are leased to this process as they are made. */
  #making = 0
  /** Something changed while runs were being claimed. */
  #isMissed = false
  #isDue = false
  #isClosing = false

  /** @param current what runs begin under; each keeps the one that it began with */
  constructor(current: () => Environment, queue: RunQueue, failures: Failures) {
    const env = current()
    this.#current = current
    this.#queue = queue
    this.#failures = failures
    this.#left = new SkippedRuns(env)
    this.#owner = createId('proc', env.clock())
    this.#isDispatched = env.claims === 'all' && env.store.dispatch !== undefined
    this.#held = new HeldRuns(current, queue, failures, {
      onUnable: (runId, error) => this.#left.add(runId, error),
      onDone: (row, hasEnded) => this.#leave(row, hasEnded),
      onPlace: () => this.#look(),
    })
  }

  get #env(): Environment {
    return this.#current()
  }

  /** What this process works on now: a run that has moved to another one counts there. */
  get activity(): Activity {
    return activityOf(this.#queue.waiting, this.#held.sessions)
  }

  /** How the runs began that this process works on now. */
  get begun(): RunEvent[] {
    return this.#held.sessions.flatMap((session) => session?.recorder.begun ?? [])
  }

  /** The config was replaced: what could not be worked on may be now, and there may be more places. */
  reload(): void {
    this.#left = new SkippedRuns(this.#env)
    this.#look()
  }

  /** @returns how to stop */
  measure(handler: (measured: Measurement) => void): () => void {
    return this.#held.measure(handler)
  }

  /** Begins to look for runs, those that a process that is gone has left included. */
  async start(): Promise<void> {
    const { store, leaseMs } = this.#env
    this.#queue.onLate = (runId) => {
      this.#late.add(runId)
      this.#env.background.run(LATE, () => this.#endLate())
    }
    this.#unwatch = store.watch('*', (runId, change) => {
      if (change === 'events') return
      const held = this.#held.get(runId)
      const mayAsk = change === 'command' || change === 'any'
      if (mayAsk && held !== undefined) held.isAsked = true
      if (this.#queue.isNew(runId)) {
        // Who makes a run here says so itself, once it is announced.
        if (mayAsk) this.#queue.noteAsked(runId)
        return
      }
      this.#watchQueue(runId, change)
      if (change === 'status') return
      if (mayAsk && held !== undefined) held.session?.control.observe()
      else if (mayAsk) this.#observe(runId)
      if (change !== 'command') this.#look()
    })
    this.#timer = setInterval(
      () => {
        this.#env.background.repeat('renewing leases', () => this.#held.renew())
        this.#look()
        this.#env.background.repeat(LATE, () => this.#endLate())
      },
      Math.max(20, leaseMs / 3),
    )
    this.#timer.unref()
    this.#look()
    if (this.#isDispatched) {
      const { space } = this.#env
      const limit = this.#queue.limit
      const start = (runId: string, claimed?: ClaimedRun): Promise<boolean> => this.#startHere(runId, claimed)
      this.#stopDispatch = await store.dispatch?.(start, { limit, ...(space && { space }) })
    }
  }

  /**
   * Drains: what can end in time ends, the rest is released as it is, and what waits stays waiting.
   *
   * @param drainMs how long runs at work may take to end
   */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true
    this.#unwatch()
    const stopped = this.#stopDispatch?.(drainMs)
    await this.#held.close(drainMs)
    await stopped
    this.#failures.close()
    this.#queue.close()
    clearInterval(this.#timer)
    clearTimeout(this.#later)
  }

  /** Claims as many runs as there are free places, in a moment: many changes come together. */
  #look(): void {
    if (this.#isDue || this.#isClosing) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      this.#env.background.track('claiming runs', this.claim())
    })
  }

  /**
   * Makes a run and begins to work on it, where there is a free place for it and the store leases it as it is made: where it can,
   * before the run is written, so that what precedes the first effect leaves with it.
   *
   * @param events its first ones
   * @param make records it, for the holder that it is handed
   * @throws NotFoundError `agent_not_found` where it keeps a plan whose agent is gone
   */
  async make(
    row: RunRow,
    events: readonly RunEvent[],
    make: (holder: Holder | undefined) => MaybePromise<Created>,
  ): Promise<Created> {
    const { claims, leaseMs } = this.#env
    await checkKeptPlan(this.#env, row)
    // Runs of a thread have an order, and what is being claimed may take every place.
    const isLater = row.threadId !== undefined || this.#isClaiming || this.#queue.free <= this.#making
    if (isLater || this.#isClosing || claims === 'none') return make(undefined)
    const asked = performance.now()
    let isBegun = false
    const begin = (lease: Lease): Promise<void> => {
      isBegun = true
      this.#making--
      return this.#begin([{ run: { ...row, lastSeq: events.length }, lease, events }], asked)
    }
    this.#making++
    try {
      const made = await make({
        owner: this.#owner,
        ttlMs: leaseMs,
        begin: (lease) => this.#env.background.track(`beginning run ${row.id}`, begin(lease)),
      })
      if (made.lease !== undefined && !isBegun) await begin(made.lease)
      return made
    } finally {
      // The place is free after all, and somebody may have looked for one meanwhile.
      if (!isBegun) {
        this.#making--
        this.#look()
      }
    }
  }

  /** Takes up runs that nobody works on, as many as there are free places. */
  async claim(): Promise<void> {
    const limit = this.#queue.free - this.#making
    if (this.#isClosing || limit <= 0 || this.#isDispatched || this.#env.claims === 'none') return
    if (this.#isClaiming) {
      this.#isMissed = true
      return
    }
    const { store, leaseMs } = this.#env
    let isSuspectTaken = this.#held.isSuspectAtWork
    const accepts = (row: RunRow): boolean => {
      if (this.#left.has(row.id) || this.#held.get(row.id) !== undefined || !this.#isOurs(row.id)) return false
      if (this.#left.isNewer(row) || !this.#isForHere(row, isSuspectTaken)) return false
      isSuspectTaken ||= isSuspect(row)
      return true
    }
    const asked = performance.now()
    this.#isClaiming = true
    try {
      await this.#begin(await store.claim(this.#owner, { limit, ttlMs: leaseMs, accepts }), asked)
    } finally {
      this.#isClaiming = false
      if (this.#isMissed) this.#look()
      this.#isMissed = false
    }
  }

  /** @returns whether another one may begin in its place: with one left, what may begin has begun, but for the next of its thread */
  #leave({ id, threadId }: RunRow, hasEnded: boolean): boolean {
    if (hasEnded) this.#own.delete(id)
    this.#suspects.forget(id)
    return this.#queue.free <= this.#making || this.#isClaiming || threadId !== undefined
  }

  async #begin(claimed: readonly ClaimedRun[], asked: number): Promise<void> {
    if (this.#env.claims !== 'all') for (const { run } of claimed) this.#own.add(run.id)
    await this.#held.begin(claimed, asked)
  }

  /** Whether this process may take up a run that nobody has asked it for. */
  #isForHere(row: RunRow, isSuspectTaken: boolean): boolean {
    return !this.#left.isElsewhere(row) && this.#isItsTurn(row, isSuspectTaken)
  }

  /** Whether others, and other suspects, have had their time before the run; else this process looks again in time. */
  #isItsTurn(row: RunRow, isSuspectTaken: boolean): boolean {
    const waitMs = Math.max(leftToOthersFor(row, this.#env), this.#suspects.waitFor(row, isSuspectTaken))
    if (waitMs > 0) this.#lookIn(waitMs)
    return waitMs === 0
  }

  #lookIn(ms: number): void {
    const at = performance.now() + ms
    if (at >= this.#laterAt) return
    clearTimeout(this.#later)
    this.#laterAt = at
    this.#later = setTimeout(() => {
      this.#laterAt = Number.POSITIVE_INFINITY
      this.#look()
    }, ms).unref()
  }

  #isOurs(runId: string): boolean {
    return this.#env.claims === 'all' || this.#queue.has(runId) || this.#own.has(runId)
  }

  /**
   * Takes up a run of this folder that nobody works on, also where this process looks for none by itself. One that works on no
   * runs changes its limits, and leaves it to the others.
   *
   * @param addBudget tokens that a person adds to its limits
   * @returns false where it has ended, or a process that lives holds it
   */
  async adopt(runId: string, isWanted: (row: RunRow) => boolean = () => true, addBudget?: number): Promise<boolean> {
    if (this.#isClosing || this.#held.get(runId) !== undefined) return false
    const { store, leaseMs, claims } = this.#env
    const accepts = (row: RunRow): boolean =>
      this.#held.get(runId) === undefined && isWanted(row) && !this.#left.isNewer(row) && !isElsewhere(row, this.#env)
    const asked = performance.now()
    const claimed = await store.claim(this.#owner, { limit: 1, ttlMs: leaseMs, only: runId, accepts })
    const raise = async ({ run, ...held }: ClaimedRun): Promise<ClaimedRun> => {
      const limits = raisedLimits(this.#env, run, addBudget ?? 0)
      // Who adds to it answers for it, whatever its maker may.
      const raised = { limits, bounded: false }
      await store.commit(held.lease, { run: raised })
      return { ...held, run: { ...run, ...raised } }
    }
    const held = addBudget === undefined ? claimed : await Promise.all(claimed.map(raise))
    if (claims === 'none') for (const { lease } of held) await store.release(lease)
    else await this.#begin(held, asked)
    return claimed.length > 0
  }

  /** Works on a run that the store hands out. @param claimed where this process holds it already */
  async #startHere(runId: string, claimed: ClaimedRun | undefined): Promise<boolean> {
    if (claimed !== undefined) await this.#begin([claimed], performance.now())
    else {
      // A run that has gone on after it had waited for somebody took the place.
      while (this.#queue.free <= 0 && !this.#isClosing) await this.#queue.place()
      if (this.#isClosing || this.#left.has(runId)) return false
    }
    const isWanted = (row: RunRow): boolean => this.#isForHere(row, this.#held.isSuspectAtWork)
    const isTaken = claimed !== undefined || (await this.adopt(runId, isWanted))
    const held = this.#held.get(runId)
    if (isTaken && held !== undefined && !this.#queue.rests(runId)) {
      await new Promise<void>((resolve) => {
        held.onIdle = resolve
      })
    }
    return isTaken && !this.#left.has(runId)
  }

  /** Runs that have waited for too long need neither a place nor their turn in a thread: they are taken up to fail. */
  async #endLate(): Promise<void> {
    const { store, claims, clock, space } = this.#env
    if (this.#isClosing || claims === 'none') return
    // Of those that wait here this process knows better than a clock that may be moved.
    for (const id of this.#late) {
      if (this.#queue.has(id)) await this.adopt(id, ({ startedAt }) => startedAt === undefined)
      else this.#late.delete(id)
    }
    const { data } = await store.runs.list({
      late: true,
      left: true,
      limit: 100,
      ...(space !== undefined && { space }),
    })
    for (const { id } of data)
      if (this.#isOurs(id) && !this.#queue.has(id)) await this.adopt(id, (row) => isLate(row, clock()))
  }

  /** A run that nobody works on was asked for something: only a cancel needs no place in the queue. */
  #observe(runId: string): void {
    if (this.#env.claims === 'none') return
    this.#env.background.run(`commands of ${runId}`, async () => {
      const commands = await this.#env.store.commands(runId)
      if (commands.some(({ kind }) => kind === 'cancel')) await this.adopt(runId)
    })
  }

  /** A run that this process has made and another has taken waits here no more. */
  #watchQueue(runId: string, change: RunChange): void {
    if (!this.#queue.has(runId) || (change !== 'status' && change !== 'any')) return
    this.#env.background.run(`queue of ${runId}`, async () => {
      const row = await this.#env.store.runs.get(runId)
      if (row?.status !== 'queued') this.#queue.leave(runId)
    })
  }
}
