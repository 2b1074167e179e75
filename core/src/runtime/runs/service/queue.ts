import type { EndedRun, RunStartOptions } from '../../../contracts/runtime/runtime.ts'
import { CapacityError } from '../../../errors.ts'

/** A run that is worked on in this process; undefined where it does not end here. */
export type Work = Promise<EndedRun | undefined>

/** What the caller that made a run wants of it, in this process. */
type Wanted = { [Name in 'deltas' | 'checkOutput' | 'signal']?: RunStartOptions[Name] | undefined }

interface Gate {
  promise: Promise<void>
  resolve: () => void
  isAsked: boolean
}

function createGate(): Gate {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve, isAsked: false }
}

/** Counts the runs that one process works on and those that wait for it, so that a flood is refused and not stored. */
export class RunQueue {
  /** Runs that may be worked on at once. */
  limit: number
  /** Runs that may wait. */
  mostQueued: number
  /** Since when they wait, on this process's own clock, `performance.now()`. */
  readonly #queued = new Map<string, number>()
  readonly #running = new Set<string>()
  readonly #resting = new Set<string>()
  readonly #wanted = new Map<string, Wanted>()
  readonly #opened = new Map<string, Gate>()
  readonly #deadlines = new Map<string, () => void>()
  readonly #onEnd = new Map<string, (() => void)[]>()
  #onFree: (() => void)[] = []
  #isClosed = false
  readonly #onBegin = new Map<string, (begun: { work: Work | undefined }) => void>()

  /** Called when a run that waits here has waited for too long. */
  onLate: (runId: string) => void = () => {}

  constructor(running: number, queued: number) {
    this.limit = running
    this.mostQueued = queued
  }

  /** How many more may be worked on now: a run that waits for somebody takes no place, and goes on without asking for one. */
  get free(): number {
    return this.limit - this.#running.size + this.#resting.size
  }

  /** Resolves when there may be a place. */
  place(): Promise<void> {
    return this.free > 0 ? Promise.resolve() : new Promise((resolve) => this.#onFree.push(resolve))
  }

  #tellFree(): void {
    for (const resolve of this.#onFree.splice(0)) resolve()
  }

  /** Runs that were taken in here, and that nobody works on yet. */
  get waiting(): number {
    return this.#queued.size
  }

  /**
   * Puts a run that is about to be recorded into the queue, until it starts, here or elsewhere.
   *
   * @returns its place in the queue, 0 where it can start at once
   * @throws CapacityError `queue_full`
   */
  enter(runId: string): number {
    const waiting = Math.max(0, this.#queued.size - Math.max(0, this.free))
    if (waiting >= this.mostQueued) {
      throw new CapacityError('queue_full', `${this.mostQueued} runs are waiting already: try again later`)
    }
    const isFree = this.#queued.size < this.free
    this.#queued.set(runId, performance.now())
    this.#opened.set(runId, createGate())
    return isFree ? 0 : waiting + 1
  }

  /** @param stop calls off what ends the run's wait; called when it is over */
  limitWait(runId: string, stop: () => void): void {
    this.#deadlines.set(runId, stop)
  }

  /** What comes of a run that waits here; undefined where it does not end in this process. */
  async endOf(runId: string): Work {
    if (this.#isClosed) return undefined
    const { work } = await new Promise<{ work: Work | undefined }>((resolve) => this.#onBegin.set(runId, resolve))
    return await work
  }

  /** Whether the run is being recorded: a store may offer a new run before it has answered its maker. */
  isNew(runId: string): boolean {
    return this.#opened.has(runId)
  }

  /** Somebody may have asked something of a run that is being recorded. */
  noteAsked(runId: string): void {
    const gate = this.#opened.get(runId)
    if (gate !== undefined) gate.isAsked = true
  }

  wasAsked(runId: string): boolean {
    return this.#opened.get(runId)?.isAsked === true
  }

  /** Resolves when the run is recorded and its first events are sent: no other event comes before them. */
  async opened(runId: string): Promise<void> {
    await this.#opened.get(runId)?.promise
  }

  /** The run may start. */
  open(runId: string): void {
    this.#opened.get(runId)?.resolve()
    this.#opened.delete(runId)
  }

  /** Whether the run waits for this process. */
  has(runId: string): boolean {
    return this.#queued.has(runId)
  }

  /** Since when the run waits for this process, on its own clock; undefined for a run of another one. */
  since(runId: string): number | undefined {
    return this.#queued.get(runId)
  }

  /** The run was not recorded after all, or another process has taken it. */
  leave(runId: string): void {
    this.#endWait(runId, undefined)
    this.#wanted.delete(runId)
  }

  /** Keeps what the caller that made a run wants of it. */
  want(runId: string, { deltas, checkOutput, signal }: Wanted): void {
    const wanted = { deltas, checkOutput, signal }
    if (Object.values(wanted).some((each) => each !== undefined)) this.#wanted.set(runId, wanted)
  }

  wantedOf(runId: string): Wanted {
    return this.#wanted.get(runId) ?? {}
  }

  start(runId: string, work: Work): void {
    this.#endWait(runId, work)
    this.#running.add(runId)
  }

  /** Whether this process works on the run. */
  isAtWork(runId: string): boolean {
    return this.#running.has(runId)
  }

  /** A run waits for somebody, or goes on. */
  rest(runId: string, isResting: boolean): void {
    if (isResting) this.#resting.add(runId)
    else this.#resting.delete(runId)
    this.#tellFree()
  }

  rests(runId: string): boolean {
    return this.#resting.has(runId)
  }

  /**
   * Calls back when this process has done with a run: its last event was sent.
   *
   * @returns false when this process does not work on it
   */
  afterEnd(runId: string, callback: () => void): boolean {
    if (!this.#running.has(runId)) return false
    this.#onEnd.set(runId, [...(this.#onEnd.get(runId) ?? []), callback])
    return true
  }

  /** Nothing begins here any more. */
  close(): void {
    this.#isClosed = true
    for (const runId of [...this.#onBegin.keys()]) this.#endWait(runId, undefined)
  }

  #endWait(runId: string, work: Work | undefined): void {
    this.#queued.delete(runId)
    this.#onBegin.get(runId)?.({ work })
    this.#onBegin.delete(runId)
    this.#deadlines.get(runId)?.()
    this.#deadlines.delete(runId)
  }

  end(runId: string): void {
    this.#running.delete(runId)
    this.#resting.delete(runId)
    this.#wanted.delete(runId)
    this.#tellFree()
    const callbacks = this.#onEnd.get(runId)
    if (callbacks === undefined) return
    this.#onEnd.delete(runId)
    for (const callback of callbacks) callback()
  }
}
