import type { RunEvent } from '../../../contracts/log/event.ts'
import type { Lease, StepRow } from '../../../contracts/log/journal.ts'
import type { Measurement } from '../../../contracts/log/measurement.ts'
import type { ClaimedRun, RunRow } from '../../../contracts/store/store.ts'
import { CancelledError, CapacityError, SvcError, toSvcError } from '../../../errors.ts'
import { report } from '../../../support/background.ts'
import type { Environment } from '../../environment.ts'
import { formatOf } from '../../journal/keyed-journal.ts'
import { closedDuring, type Failures } from '../service/failures.ts'
import { isAskedToEnd, type PreparedRun, prepareRun } from '../service/prepare-run.ts'
import type { RunQueue, Work } from '../service/queue.ts'
import { RunSession } from '../session/session.ts'
import { executeRun } from './execute-run.ts'
import { checkKeptPlan, type WithoutMissing, withoutMissing } from './missing-parts.ts'
import { isSuspect } from './suspects.ts'
import { inheritedSteps } from './takeover.ts'

/** What calls hear that are left when their run has ended. */
const RUN_ENDED = new CancelledError('cancelled', 'the run has ended')

/** A run that this process holds. */
export interface HeldRun {
  lease: Lease
  events: readonly RunEvent[] | undefined
  /** On this process's own clock, `performance.now()`: until then nobody else can hold the run. */
  validUntil: number
  /** On the same: since when the run has waited here; undefined where it was made elsewhere. */
  queuedAt: number | undefined
  session: RunSession | undefined
  /** Somebody may have asked something of it before its session was there to hear of it. */
  isAsked: boolean
  /** The run was released: nothing of it is written any more. */
  isReleased: boolean
  /** It may have ended the process of its last life. */
  wasSuspect: boolean
  done: Work
  /** Called when this process has done with the run, and when it begins to wait for somebody. */
  onIdle: (() => void) | undefined
}

/** What who claims runs hears of those that are held. */
export interface HeldRunsListener {
  /** A run turned out to need what is not here. */
  onUnable(runId: string, error: SvcError): void
  /** This process has done with a run. @returns whether another one may begin in its place */
  onDone(row: RunRow, hasEnded: boolean): boolean
  /** There may be a free place. */
  onPlace(): void
}

/** The runs that this process holds: works on them, renews their leases, and releases them in good order. */
export class HeldRuns {
  readonly #current: () => Environment
  readonly #queue: RunQueue
  readonly #failures: Failures
  readonly #listener: HeldRunsListener
  readonly #held = new Map<string, HeldRun>()
  readonly #onEnd = new Set<(measured: Measurement) => void>()
  /** Epochs of runs that went from here unfinished, of which nothing could be written where their leases were lost. */
  readonly #outlived = new Map<string, number>()
  /** V8 throws away code compiled for shapes of which no object lives: the 300 runs after a full collection cost 1.2 times as much with it, 1.4 without. */
  readonly #lastEnded: [RunSession?] = []
  #isClosing = false

  /** @param current what runs begin under; each keeps the one that it began with */
  constructor(current: () => Environment, queue: RunQueue, failures: Failures, listener: HeldRunsListener) {
    this.#current = current
    this.#queue = queue
    this.#failures = failures
    this.#listener = listener
  }

  get #env(): Environment {
    return this.#current()
  }

  get(runId: string): HeldRun | undefined {
    return this.#held.get(runId)
  }

  /** Of those that have not moved to another process. */
  get sessions(): (RunSession | undefined)[] {
    return [...this.#held.values()].filter(({ isReleased }) => !isReleased).map(({ session }) => session)
  }

  /** Whether one is at work that may have ended its process, and has not got on yet. */
  get isSuspectAtWork(): boolean {
    return [...this.#held.values()].some(({ wasSuspect, session }) => wasSuspect && !session?.recorder.lives.hasGotOn)
  }

  /** @returns how to stop */
  measure(handler: (measured: Measurement) => void): () => void {
    this.#onEnd.add(handler)
    return () => this.#onEnd.delete(handler)
  }

  /** @param drainMs how long runs at work may take to end */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true
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
  }

  /** Begins to work on runs. @param asked when the claim was sent: a process may be stopped before it hears of it, and its lease runs meanwhile */
  async begin(claimed: readonly ClaimedRun[], asked: number): Promise<void> {
    // What was being claimed when the runtime began to close is for others.
    if (this.#isClosing) {
      for (const { lease } of claimed) await this.#release(lease)
      return
    }
    for (const { run: row, lease, events } of claimed) {
      // This process did not end in its last life, so that it is no more suspected than one that was released.
      const run = this.#outlived.get(row.id) === lease.epoch - 1 ? { ...row, released: true } : row
      const validUntil = asked + this.#env.leaseMs
      const held: HeldRun = {
        lease,
        events,
        validUntil,
        queuedAt: this.#queue.since(run.id),
        session: undefined,
        // A run that is leased as it is made was asked nothing before.
        isAsked: events === undefined || this.#queue.wasAsked(run.id),
        isReleased: false,
        wasSuspect: isSuspect(run),
        done: Promise.resolve(undefined),
        onIdle: undefined,
      }
      this.#held.set(run.id, held)
      this.#failures.clear(run.id)
      held.done = this.#work(run, held)
      this.#queue.start(run.id, held.done)
    }
  }

  /** Never rejects. */
  async #work(row: RunRow, held: HeldRun): Work {
    let hasEnded = false
    try {
      const env = this.#env
      const events = held.events ?? (await env.store.events.list(row.id))
      const { steps, lost } = await stepsOf(row, env)
      const { create, gone, missing } =
        lost === undefined ? await this.#without(row, env, events) : { create: row.create, gone: [], missing: '' }
      const found = await prepareRun(env, { ...row, create }, steps)
      const prepared = lost === undefined ? found : { ...found, failure: lost }
      if (held.isReleased) return undefined
      const session = await this.#open(row, env, prepared, { events, gone, steps, lost }, held)
      if (held.isReleased) return undefined
      held.session = session
      const ended = await executeRun(session, prepared, row, held, missing)
      if (ended === undefined) return undefined
      held.isReleased = true
      hasEnded = true
      this.#lastEnded[0] = session
      const durationMs = Math.max(0, env.clock() - Date.parse(row.createdAt))
      const { mode, status, verdict, error } = ended
      const code = status === 'failed' && error !== undefined ? { code: error.code } : {}
      for (const handler of this.#onEnd) handler({ kind: 'run', mode, status, verdict, durationMs, ...code })
      // What plugins left running when their run has ended is stopped.
      session.stop.stop(RUN_ENDED)
      return ended
    } catch (thrown) {
      await this.#giveUp(row, held, toSvcError(thrown, 'store_unavailable'))
      return undefined
    } finally {
      if (this.#held.get(row.id) === held) this.#held.delete(row.id)
      if (hasEnded) this.#outlived.delete(row.id)
      else this.#outlived.set(row.id, held.lease.epoch)
      const isNext = this.#listener.onDone(row, hasEnded)
      this.#queue.end(row.id)
      if (!held.isReleased) await this.#release(held.lease)
      held.onIdle?.()
      if (isNext) this.#listener.onPlace()
    }
  }

  /** Only a run that was begun may go on without what it needs, at a person's word; another waits for a process that has it. */
  async #without(row: RunRow, env: Environment, events: readonly RunEvent[]): Promise<WithoutMissing> {
    const isNew = row.startedAt === undefined
    const takesAll =
      (isNew && row.inherits === undefined) || env.cassette !== undefined || (await isAskedToEnd(env, row))
    if (!takesAll && isNew) await checkKeptPlan(env, row)
    if (takesAll || isNew) return { create: row.create, gone: [], missing: '' }
    return withoutMissing(env, row, events)
  }

  async #open(
    row: RunRow,
    env: Environment,
    prepared: PreparedRun,
    {
      lost,
      ...known
    }: {
      events: readonly RunEvent[]
      gone: readonly string[]
      steps: readonly StepRow[]
      lost: SvcError | undefined
    },
    held: HeldRun,
  ): Promise<RunSession> {
    const { store } = env
    const wanted = this.#queue.wantedOf(row.id)
    const onRest = (isResting: boolean): void => {
      this.#queue.rest(row.id, isResting)
      if (!isResting) return
      held.onIdle?.()
      this.#listener.onPlace()
    }
    const confirmLease = (): undefined | Promise<void> =>
      performance.now() < held.validUntil ? undefined : this.renew().then(() => session.stop.throwIfStopped())
    const { lease } = held
    const opened = this.#queue.isNew(row.id) ? this.#queue.opened(row.id) : undefined
    const options = { ...known, store, lease, confirmLease, ...wanted, onRest, opened }
    const session = new RunSession(env, prepared, options)
    // What is lost stays noted: who resumes this run hears of it.
    if (row.inherits !== undefined && lost === undefined) {
      session.recorder.patch({ inherits: undefined, ...formatOf(known.steps) })
      await session.recorder.commit({ steps: [...known.steps] })
    }
    return session
  }

  /** A run that cannot be worked on here: those who wait for it hear why, and the store keeps it for a process that can. */
  async #giveUp(row: RunRow, held: HeldRun, error: SvcError): Promise<void> {
    if (held.session === undefined && error.code !== 'store_unavailable') {
      this.#listener.onUnable(row.id, error)
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
  async renew(): Promise<void> {
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

/**
 * What is recorded of a run, and of what it goes on from.
 *
 * @returns `lost`: why that is not known any more
 */
async function stepsOf(
  row: RunRow,
  { store, cassette }: Environment,
): Promise<{ steps: readonly StepRow[]; lost?: SvcError }> {
  if (row.inherits === undefined)
    return { steps: row.startedAt === undefined ? (cassette?.steps ?? []) : await store.steps(row.id) }
  try {
    return { steps: await inheritedSteps(store, row) }
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'run_not_found') return { steps: [], lost: thrown }
    throw thrown
  }
}
