import type { Resolution } from '../../contracts/approval.ts'
import type { NewEvent, RunEvent } from '../../contracts/event.ts'
import type { Journal, Lease, StepEffect, StepKey, WaitUntil } from '../../contracts/journal.ts'
import { CapacityError, UsageError } from '../../errors.ts'
import { isoTime } from '../iso-time.ts'

/** What is recorded of one step: that it was begun, or how it ended. */
interface StepRecord {
  effect: StepEffect
  /** JSON of the outcome; absent while it is only begun. */
  outcome?: string | undefined
  time: number
  /** Number of the run's newest event when it was recorded. */
  seq: number
}

/** Everything recorded of one run. It outlives the process's interest in the run. */
export interface RunRecords {
  epoch: number
  steps: Map<StepKey, StepRecord>
  resolutions: Map<StepKey, Resolution>
  waiters: Map<StepKey, (resolution: Resolution) => void>
  events: RunEvent[]
  startedAt: number
}

export const createRecords = (startedAt: number): RunRecords => ({
  epoch: 0,
  steps: new Map(),
  resolutions: new Map(),
  waiters: new Map(),
  events: [],
  startedAt,
})

/**
 * Thrown by `step` when a `once` step was begun by a process that is gone and nobody knows whether it happened.
 * A person has to say.
 */
export class IndeterminateStep extends Error {
  readonly key: StepKey

  constructor(key: StepKey) {
    super(`step ${key} was begun and never recorded as done`)
    this.key = key
  }
}

/** A journal over records in memory, with the semantics of the durable ones. */
export class MemoryJournal implements Journal {
  readonly #runId: string
  readonly #records: RunRecords
  readonly #lease: Lease
  readonly #clock: () => number
  readonly #used = new Set<StepKey>()
  #replaying = false
  #time: number

  constructor(runId: string, records: RunRecords, lease: Lease, clock: () => number) {
    this.#runId = runId
    this.#records = records
    this.#lease = lease
    this.#clock = clock
    this.#time = records.startedAt
  }

  get replaying(): boolean {
    return this.#replaying
  }

  get time(): number {
    return this.#time
  }

  async step<T>(key: StepKey, effect: StepEffect, body: (tries: number) => Promise<T>): Promise<T> {
    if (this.#used.has(key)) {
      throw new UsageError(
        'journal_key_reused',
        `the journal key "${key}" was used twice: give each call of a run a key of its own`,
      )
    }
    this.#used.add(key)
    this.#fence()
    const record = this.#records.steps.get(key)
    if (record?.outcome !== undefined) {
      this.#replaying = true
      this.#time = Math.max(this.#time, record.time)
      return JSON.parse(record.outcome) as T
    }
    this.#replaying = false
    if (record !== undefined && record.effect === 'once') throw new IndeterminateStep(key)
    if (effect !== 'pure') this.#record(key, effect, undefined)
    const outcome = await body(record === undefined ? 1 : 2)
    this.#fence()
    this.#record(key, effect, JSON.stringify(outcome ?? null))
    return outcome
  }

  #record(key: StepKey, effect: StepEffect, outcome: string | undefined): void {
    const time = this.#clock()
    this.#records.steps.set(key, { effect, outcome, time, seq: this.#records.events.length })
    if (outcome !== undefined) this.#time = time
  }

  async wait(key: StepKey, until: WaitUntil): Promise<Resolution> {
    this.#fence()
    const known = this.#records.resolutions.get(key)
    if (known !== undefined) return known
    const expiresAt = 'timer' in until ? until.timer : 'approval' in until ? until.approval.expiresAt : undefined
    return new Promise((resolve) => {
      const timer =
        expiresAt === undefined
          ? undefined
          : setTimeout(
              () => void this.resolve(key, { kind: 'expired' }),
              Math.min(Math.max(0, expiresAt - this.#clock()), 2 ** 31 - 1),
            )
      timer?.unref()
      this.#records.waiters.set(key, (resolution) => {
        clearTimeout(timer)
        resolve(resolution)
      })
    })
  }

  async resolve(key: StepKey, resolution: Resolution): Promise<void> {
    if (this.#records.resolutions.has(key)) return
    this.#records.resolutions.set(key, resolution)
    this.#time = this.#clock()
    this.#records.waiters.get(key)?.(resolution)
    this.#records.waiters.delete(key)
  }

  append(event: NewEvent): RunEvent {
    this.#fence()
    const appended = {
      v: 1,
      seq: this.#records.events.length + 1,
      time: isoTime(this.#clock()),
      runId: this.#runId,
      ...event,
    } as RunEvent
    this.#records.events.push(appended)
    return appended
  }

  /** Refuses to write for a holder whose lease went to another. */
  #fence(): void {
    if (this.#lease.epoch !== this.#records.epoch) {
      throw new CapacityError('store_unavailable', `run ${this.#runId} is held by another process now`)
    }
  }
}
