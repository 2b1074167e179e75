import type { RunEvent } from '../../../contracts/log/event.ts'
import type { Lease, StepRow } from '../../../contracts/log/journal.ts'
import type { Activity, Measurement } from '../../../contracts/log/measurement.ts'
import type { ClaimedRun, Holder, MaybePromise, RunChange, RunRow, Store } from '../../../contracts/store/store.ts'
import { CancelledError, CapacityError, type SvcError, toSvcError } from '../../../errors.ts'
import { report } from '../../../support/background.ts'
import { createId } from '../../../support/ids.ts'
import type { Environment } from '../../environment.ts'
import { closedDuring, type Failures } from '../service/failures.ts'
import { isElsewhere } from '../service/place.ts'
import { type PreparedRun, prepareRun } from '../service/prepare-run.ts'
import type { RunQueue, Work } from '../service/queue.ts'
import { RunSession } from '../session/session.ts'
import { activityOf } from './activity.ts'
import { isLate } from './announce-start.ts'
import { isLeftToOthers } from './doubts.ts'
import { executeRun } from './execute-run.ts'
import { assertTools, SkippedRuns } from './skipped-runs.ts'
import { isSuspect, Suspects } from './suspects.ts'
import { inheritedSteps } from './takeover.ts'

/** What calls hear that are left when their run has ended. */
const RUN_ENDED = new CancelledError('cancelled', 'the run has ended')

type Created = Awaited<ReturnType<Store['create']>>

/** A run that this process holds. */
interface HeldRun {
  lease: Lease
  events: readonly RunEvent[] | undefined
  /** On this process's own clock, `performance.now()`: until then nobody else can hold the run. */
  validUntil: number
  session: RunSession | undefined
  /** The run was released: nothing of it is written any more. */
  isReleased: boolean
  /** It may have ended the process of its last life. */
  wasSuspect: boolean
  done: Work
  /** Called when this process has done with the run, and when it begins to wait for somebody. */
  onIdle: (() => void) | undefined
}

/** Claims runs, works on them, renews its leases, and releases them in good order. */
export class Worker {
  readonly #current: () => Environment
  readonly #queue: RunQueue
  readonly #failures: Failures
  readonly #owner: string
  readonly #held = new Map<string, HeldRun>()
  /** Runs that this process works on where it works on none but its own. */
  readonly #own = new Set<string>()
  readonly #onEnd = new Set<(measured: Measurement) => void>()
  readonly #suspects = new Suspects()
  #left: SkippedRuns
  #unwatch: () => void = () => {}
  /** The store hands out runs by itself. */
  readonly #isDispatched: boolean
  #stopDispatch: ((drainMs: number) => Promise<void>) | undefined
  #timer: NodeJS.Timeout | undefined
  #later: NodeJS.Timeout | undefined
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
  }

  get #env(): Environment {
    return this.#current()
  }

  /** What this process works on now: a run that has moved to another one counts there. */
  get activity(): Activity {
    const held = [...this.#held.values()].filter(({ isReleased }) => !isReleased)
    return activityOf(
      this.#queue.waiting,
      held.map(({ session }) => session),
    )
  }

  /** The config was replaced: what could not be worked on may be now, and there may be more places. */
  reload(): void {
    this.#left = new SkippedRuns(this.#env)
    this.#look()
  }

  /** @returns how to stop */
  measure(handler: (measured: Measurement) => void): () => void {
    this.#onEnd.add(handler)
    return () => this.#onEnd.delete(handler)
  }

  /** Begins to look for runs, those that a process that is gone has left included. */
  async start(): Promise<void> {
    const { store, leaseMs } = this.#env
    this.#queue.onLate = () => this.#endLate()
    this.#unwatch = store.watch('*', (runId, change) => {
      // Who makes a run here says so itself, once it is announced.
      if (change === 'events' || this.#queue.isNew(runId)) return
      this.#watchQueue(runId, change)
      if (change === 'status') return
      const held = this.#held.get(runId)
      if (held !== undefined) {
        if (change !== 'queued') held.session?.control.observe()
      } else if (change === 'command' || change === 'any') this.#observe(runId)
      if (change !== 'command') this.#look()
    })
    this.#timer = setInterval(
      () => {
        this.#env.background.run('renewing leases', () => this.#renew())
        this.#look()
        this.#endLate()
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
    const atWork = [...this.#held.values()].filter(({ session }) => session?.control.questions.waiting === undefined)
    if (atWork.length > 0) {
      let stop: () => void = () => {}
      const timeUp = new Promise<void>((resolve) => {
        stop = this.#env.deadlines.add(drainMs, resolve)
      })
      await Promise.race([Promise.all(atWork.map(({ done }) => done)), timeUp])
      stop()
    }
    await Promise.all([...this.#held].map(([runId, held]) => this.#releaseRun(runId, held)))
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
   * Makes a run and begins to work on it, where there is a free place for it and the store leases it as it is made.
   *
   * @param events its first ones
   * @param make records it, for the holder that it is handed
   */
  async make(
    { threadId }: RunRow,
    events: readonly RunEvent[],
    make: (holder: Holder | undefined) => MaybePromise<Created>,
  ): Promise<Created> {
    const { claims, leaseMs } = this.#env
    // Runs of a thread have an order, and what is being claimed may take every place.
    const isLater = threadId !== undefined || this.#isClaiming || this.#queue.free <= this.#making
    if (isLater || this.#isClosing || claims === 'none') return make(undefined)
    const asked = performance.now()
    let lease: Lease | undefined
    this.#making++
    try {
      const made = await make({ owner: this.#owner, ttlMs: leaseMs })
      lease = made.lease
      if (lease !== undefined) await this.#begin([{ run: made.run, lease, events }], asked)
      return made
    } finally {
      this.#making--
      // The place is free after all, and somebody may have looked for one meanwhile.
      if (lease === undefined) this.#look()
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
    let isSuspectTaken = this.#isSuspectAtWork
    const accepts = (row: RunRow): boolean => {
      if (this.#left.has(row.id) || this.#held.has(row.id) || !this.#isOurs(row.id)) return false
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

  get #isSuspectAtWork(): boolean {
    return [...this.#held.values()].some(({ wasSuspect, session }) => wasSuspect && !session?.recorder.lives.hasGotOn)
  }

  /** Whether this process may take up a run that nobody has asked it for. */
  #isForHere(row: RunRow, isSuspectTaken: boolean): boolean {
    return !this.#left.isElsewhere(row) && !isLeftToOthers(row, this.#env) && this.#isItsTurn(row, isSuspectTaken)
  }

  /** Whether a run that may have ended its process may be taken up; else this process looks again in time. */
  #isItsTurn(row: RunRow, isSuspectTaken: boolean): boolean {
    const waitMs = this.#suspects.waitFor(row, isSuspectTaken)
    if (waitMs > 0) this.#later ??= setTimeout(() => this.#lookAgain(), waitMs).unref()
    return waitMs === 0
  }

  #lookAgain(): void {
    this.#later = undefined
    this.#look()
  }

  #isOurs(runId: string): boolean {
    return this.#env.claims === 'all' || this.#queue.has(runId) || this.#own.has(runId)
  }

  /**
   * Takes up a run of this folder that nobody works on, also where this process looks for none by itself.
   *
   * @returns false where it has ended, or a process that lives holds it
   */
  async adopt(runId: string, isWanted: (row: RunRow) => boolean = () => true): Promise<boolean> {
    if (this.#isClosing || this.#held.has(runId)) return false
    const { store, leaseMs } = this.#env
    const accepts = (row: RunRow): boolean =>
      !this.#held.has(runId) && isWanted(row) && !this.#left.isNewer(row) && !isElsewhere(row, this.#env)
    const asked = performance.now()
    const claimed = await store.claim(this.#owner, { limit: 1, ttlMs: leaseMs, only: runId, accepts })
    await this.#begin(claimed, asked)
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
    const isWanted = (row: RunRow): boolean => this.#isForHere(row, this.#isSuspectAtWork)
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
  #endLate(): void {
    const { store, claims, background, clock, space } = this.#env
    if (this.#isClosing || claims === 'none') return
    background.run('runs that have waited too long', async () => {
      const { data } = await store.runs.list({
        late: true,
        left: true,
        limit: 100,
        ...(space !== undefined && { space }),
      })
      for (const { id } of data) if (this.#isOurs(id)) await this.adopt(id, (row) => isLate(row, clock()))
    })
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

  /** @param asked when the claim was sent: a process may be stopped before it hears of it, and its lease runs meanwhile */
  async #begin(claimed: readonly ClaimedRun[], asked: number): Promise<void> {
    // What was being claimed when the runtime began to close is for others.
    if (this.#isClosing) {
      for (const { lease } of claimed) await this.#release(lease)
      return
    }
    for (const { run, lease, events } of claimed) {
      const validUntil = asked + this.#env.leaseMs
      const held: HeldRun = {
        lease,
        events,
        validUntil,
        session: undefined,
        isReleased: false,
        wasSuspect: isSuspect(run),
        done: Promise.resolve(undefined),
        onIdle: undefined,
      }
      this.#held.set(run.id, held)
      if (this.#env.claims !== 'all') this.#own.add(run.id)
      this.#failures.clear(run.id)
      held.done = this.#work(run, held)
      this.#queue.start(run.id, held.done)
    }
  }

  /** Never rejects. */
  async #work(row: RunRow, held: HeldRun): Work {
    try {
      await this.#queue.opened(row.id)
      const env = this.#env
      const prepared = await prepareRun(env, row)
      if (held.isReleased) return undefined
      const session = await this.#open(row, env, prepared, held)
      if (held.isReleased) return undefined
      held.session = session
      const ended = await executeRun(session, prepared, row, () => held.isReleased)
      if (ended === undefined) return undefined
      held.isReleased = true
      this.#own.delete(row.id)
      const durationMs = Math.max(0, env.clock() - Date.parse(row.createdAt))
      const { mode, status, verdict } = ended
      for (const handler of this.#onEnd) handler({ kind: 'run', mode, status, verdict, durationMs })
      // What plugins left running when their run has ended is stopped.
      session.stop.stop(RUN_ENDED)
      return ended
    } catch (thrown) {
      await this.#giveUp(row, held, toSvcError(thrown, 'store_unavailable'))
      return undefined
    } finally {
      if (this.#held.get(row.id) === held) this.#held.delete(row.id)
      this.#suspects.forget(row.id)
      // With a free place left, what may begin has begun, but for the next run of its thread.
      const isNext = this.#queue.free <= this.#making || this.#isClaiming || row.threadId !== undefined
      this.#queue.end(row.id)
      if (!held.isReleased) await this.#release(held.lease)
      held.onIdle?.()
      if (isNext) this.#look()
    }
  }

  async #open(row: RunRow, env: Environment, prepared: PreparedRun, held: HeldRun): Promise<RunSession> {
    const { store } = env
    const events = held.events ?? (await store.events.list(row.id))
    if (row.startedAt !== undefined) assertTools(events, env)
    let steps: readonly StepRow[] = env.cassette?.steps ?? []
    if (row.inherits !== undefined) steps = await inheritedSteps(store, row)
    else if (row.startedAt !== undefined) steps = await store.steps(row.id)
    const deltas = this.#queue.wantsDeltas(row.id)
    const onRest = (isResting: boolean): void => {
      this.#queue.rest(row.id, isResting)
      if (!isResting) return
      held.onIdle?.()
      this.#look()
    }
    const confirmLease = (): undefined | Promise<void> =>
      performance.now() < held.validUntil ? undefined : this.#renew().then(() => session.stop.throwIfStopped())
    const { lease } = held
    const session = new RunSession(env, prepared, { store, lease, confirmLease, events, steps, deltas, onRest })
    if (row.inherits !== undefined) {
      session.recorder.patch({ inherits: undefined })
      await session.recorder.commit({ steps: [...steps] })
    }
    return session
  }

  /** A run that cannot be worked on here: those who wait for it hear why, and the store keeps it for who can. */
  async #giveUp(row: RunRow, held: HeldRun, error: SvcError): Promise<void> {
    if (held.session === undefined && error.code !== 'store_unavailable') {
      this.#left.add(row.id, error)
      // It is not the run's fault, and does not count as a life of it.
      try {
        await this.#env.store.commit(held.lease, { run: { gotOn: held.lease.epoch } })
      } catch {
        // Then it does.
      }
    }
    // A store that fails now may fail at once again: the lease runs out before anybody tries, this process included.
    if (held.session !== undefined) held.isReleased = true
    held.session?.seal()
    held.session?.stop.stop(error)
    // What goes on elsewhere is waited for there.
    if (error.code !== 'lease_lost') this.#failures.set(row.id, error)
  }

  async #releaseRun(runId: string, held: HeldRun): Promise<void> {
    if (held.isReleased) return
    const { session } = held
    // Its end is being written, and gives the lease back.
    if (session?.isSealed === true) {
      await held.done
      return
    }
    held.isReleased = true
    const reason = closedDuring(runId)
    if (session !== undefined) {
      const released = session.release()
      // It waits for the last write, and its agents must begin nothing meanwhile.
      session.stop.stop(reason)
      try {
        await released
      } catch (thrown) {
        report(`run ${runId} was not written when it was released`, thrown)
      }
    }
    await this.#release(held.lease)
    this.#failures.set(runId, reason)
  }

  async #release(lease: Lease): Promise<void> {
    try {
      await this.#env.store.release(lease)
    } catch (thrown) {
      report(`the lease of run ${lease.runId} runs out by itself`, thrown)
    }
  }

  /** Holds on: a renewal that fails is tried again until the leases have run out by this process's own clock. */
  async #renew(): Promise<void> {
    const { store, leaseMs } = this.#env
    const asked = performance.now()
    const held = [...this.#held.values()].filter(({ isReleased }) => !isReleased)
    if (held.length === 0) return
    let renewed: readonly Lease[] | undefined
    try {
      renewed = await store.renew(
        held.map(({ lease }) => lease),
        leaseMs,
      )
    } catch {
      // The leases hold a while longer; the next renewal may reach the store.
    }
    const still = renewed && new Set(renewed.map(({ runId }) => runId))
    for (const each of held) {
      const { runId } = each.lease
      if (still?.has(runId) === true) each.validUntil = asked + leaseMs
      else if (still !== undefined) this.#lose(each, 'another process holds it now')
      else if (performance.now() >= each.validUntil) this.#lose(each, 'its lease could not be renewed in time')
    }
  }

  #lose({ session, lease: { runId } }: HeldRun, why: string): void {
    session?.seal()
    session?.stop.stop(new CapacityError('lease_lost', `run ${runId} goes on elsewhere: ${why}`))
  }
}
