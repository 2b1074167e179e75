import type {
  BegunStep,
  Journal,
  OpenStep,
  StepEffect,
  StepKey,
  StepRow,
  WaitUntil,
} from '../../contracts/log/journal.ts'
import type { Resolution } from '../../contracts/run/approval.ts'
import type { RunRow } from '../../contracts/store/store.ts'
import { RunError, toSvcError, UsageError } from '../../errors.ts'
import { digest } from '../../support/ids.ts'
import { setLongTimer } from '../../support/timers/long-timer.ts'
import type { EventLog } from './event-log.ts'
import { toRecordedError } from './recorded-error.ts'

export interface KeyedJournalOptions {
  log: Pick<EventLog, 'add' | 'commit' | 'seq'>
  /** What was recorded before. */
  rows: readonly StepRow[]
  clock: () => number
  /** Milliseconds since the epoch, when the run was created. */
  createdAt: number
  /** Throws where nobody is to be asked for what is not recorded. */
  refuse(key: StepKey): void
  /**
   * Called before a step is done, with its key.
   *
   * @returns whether something has to be written before it is done
   * @throws where it must not be done
   */
  onBegin(key: StepKey): boolean
  /** Makes sure that the run is still held here before something is done that costs or acts. Throws where it is not. */
  confirmLease?(): undefined | Promise<void>
  /** Called for each new record, before it is written. */
  onRecord(row: StepRow): void
  /** What the run was stopped with is no outcome of a step; one that goes another way than its records is stopped. */
  stop: { readonly isStopped: boolean; stop(reason: unknown): void; onStop(handler: () => void): () => void }
}

/** The newest format of a journal that this svc goes on with. */
export const JOURNAL_FORMAT = 2

/** What steps say of the format of their run: an older svc leaves alone what it would read wrongly. */
export const formatOf = (steps: readonly StepRow[]): Pick<Partial<RunRow>, 'format'> =>
  steps.some(({ error }) => error !== undefined) ? { format: JOURNAL_FORMAT } : {}

/** A request as its record is known by. */
export const requestMark = (...parts: readonly unknown[]): string => digest(JSON.stringify(parts)).slice(0, 16)

/** The number of records that came from another run: this one may go another way. */
const TAKEN_OVER = 0

const NONE: ReadonlyMap<StepKey, StepRow> = new Map()

/** The meaning of steps, once, over the rows of any store. See `Journal`. */
export class KeyedJournal implements Journal {
  readonly #settings: KeyedJournalOptions
  readonly #earlier: ReadonlyMap<StepKey, StepRow>
  readonly #used = new Set<StepKey>()
  /** Made with the first wait: most runs have none. */
  #waiting: Map<StepKey, { mark: Pick<StepRow, 'request'>; resolve(resolution: Resolution): void }> | undefined
  #resolved: Set<StepKey> | undefined
  #replaying = false
  #mayPart = false
  /** Who does a step in two halves waits for what is written before it acts; a step as a whole, here. */
  #isUnwritten = false
  #time: number

  constructor(settings: KeyedJournalOptions) {
    this.#settings = settings
    this.#earlier = settings.rows.length === 0 ? NONE : new Map(settings.rows.map((row) => [row.key, row]))
    this.#time = settings.createdAt
  }

  /** From now on a step that is recorded for another request is done anew: a person said that the run goes on. */
  mayPart(): void {
    this.#mayPart = true
  }

  get replaying(): boolean {
    return this.#replaying
  }

  get time(): number {
    return this.#time
  }

  stateOf(key: StepKey, request?: string): 'new' | 'begun' | 'inDoubt' | 'done' {
    if (this.#resolved?.has(key)) return 'done'
    const row = this.#find(key, request)
    return row?.state === 'begun' && row.effect === 'once' ? 'inDoubt' : (row?.state ?? 'new')
  }

  /** Whether an earlier life has begun a step that this one has not come to. */
  isAhead(key: StepKey): boolean {
    return this.#earlier.has(key) && !this.#used.has(key)
  }

  outcomeOf(key: StepKey): unknown {
    const row = this.#earlier.get(key)
    return row?.state === 'done' ? row.outcome : undefined
  }

  isFor(key: StepKey, request: string): boolean {
    const recorded = this.#earlier.get(key)?.request
    return recorded === undefined || recorded === request
  }

  /** What a wait that was begun before a crash waits for. */
  awaited(key: StepKey): WaitUntil | undefined {
    const row = this.#earlier.get(key)
    return row?.state === 'begun' && row.effect === 'wait' ? (row.outcome as WaitUntil) : undefined
  }

  async step<T>(key: StepKey, effect: StepEffect, body: (step: OpenStep) => Promise<T>, request?: string): Promise<T> {
    const step = await this.begin<T>(key, effect, request)
    if (step.isDone) return step.outcome
    if (this.#isUnwritten) await this.#settings.log.commit()
    this.#isUnwritten = false
    let outcome: T
    try {
      outcome = await body(step)
    } catch (thrown) {
      await step.fail(thrown)
      throw thrown
    }
    await step.end(outcome)
    return outcome
  }

  async begin<T>(key: StepKey, effect: StepEffect, request?: string): Promise<BegunStep<T>> {
    if (this.#used.has(key)) {
      throw new UsageError(
        'journal_key_reused',
        `the journal key "${key}" was used twice: give each call of a run a key of its own`,
      )
    }
    this.#used.add(key)
    const row = this.#find(key, request)
    if (row?.state === 'done') return { isDone: true, outcome: this.#again(row) as T }
    if (row?.effect === 'once') {
      throw new UsageError('journal_key_reused', `the step "${key}" was begun before a crash: ask a person first`)
    }
    this.#replaying = false
    if (this.#settings.onBegin(key)) this.#isUnwritten = true
    const step = { key, effect, ...(request !== undefined && { request }) }
    if (effect !== 'pure') await this.#record({ ...step, state: 'begun' })
    await this.#settings.confirmLease?.()
    return {
      isDone: false,
      tries: row === undefined ? 1 : 2,
      noted: row?.outcome,
      rest: (outcome) => this.#record({ ...step, effect: 'idempotent', state: 'begun', outcome }),
      act: () => this.#record({ ...step, state: 'begun' }),
      note: (outcome) => this.#settings.log.add({ steps: [this.#toRow({ ...step, state: 'begun', outcome })] }),
      end: (outcome) => this.#record({ ...step, state: 'done', outcome: outcome ?? null }),
      fail: async (thrown, outcome) => {
        if (this.#settings.stop.isStopped) return
        const failed = { ...step, state: 'done' as const, error: toSvcError(thrown).toInfo() }
        await this.#record(outcome === undefined ? failed : { ...failed, outcome })
      },
    }
  }

  async wait(key: StepKey, until: WaitUntil): Promise<Resolution> {
    const mark = waitMark(until)
    const row = this.#find(key, mark.request)
    if (row?.state === 'done') return this.#again(row) as Resolution
    this.#settings.refuse(key)
    const awaited = this.awaited(key) ?? until
    const resolution = new Promise<Resolution>((resolve) => {
      this.#waiting ??= new Map()
      this.#waiting.set(key, { mark, resolve })
    })
    if (row === undefined) await this.#record({ key, effect: 'wait', ...mark, state: 'begun', outcome: until })
    const expiresAt = expiryOf(awaited)
    if (expiresAt === undefined) return resolution
    const stopTimer = setLongTimer(expiresAt, this.#settings.clock, () => {
      // A store that fails here has failed the run already.
      this.resolve(key, { kind: 'expired' }).catch(() => {})
    })
    // Of a run that was stopped nothing comes any more, and the timer would keep all of it.
    const stopListening = this.#settings.stop.onStop(stopTimer)
    return resolution.finally(() => {
      stopTimer()
      stopListening()
    })
  }

  async resolve(key: StepKey, resolution: Resolution): Promise<void> {
    this.#resolved ??= new Set()
    if (this.#resolved.has(key)) return
    this.#resolved.add(key)
    const waiting = this.#waiting?.get(key)
    await this.#record({ key, effect: 'wait', ...waiting?.mark, state: 'done', outcome: resolution })
    waiting?.resolve(resolution)
    this.#waiting?.delete(key)
  }

  /** @throws RunError `replay_diverged` where the step is recorded for another request */
  #find(key: StepKey, request: string | undefined): StepRow | undefined {
    const row = this.#earlier.get(key)
    if (row?.request === undefined || request === undefined || row.request === request) return row
    if (this.#mayPart || row.seq === TAKEN_OVER) return undefined
    const error = new RunError(
      'replay_diverged',
      `the step ${key} asks for something else than what is recorded of it: the run goes another way than before. Go on with the old config and plugins, or fork the run before it`,
    )
    this.#settings.stop.stop(error)
    throw error
  }

  #again(row: StepRow): unknown {
    this.#replaying = true
    this.#time = Math.max(this.#time, row.time)
    if (row.error !== undefined) throw toRecordedError(row.error)
    return row.outcome
  }

  async #record(step: Omit<StepRow, 'time' | 'seq'>): Promise<void> {
    const { log, onRecord } = this.#settings
    const row = this.#toRow(step)
    if (row.state === 'done') {
      this.#time = row.time
      onRecord(row)
    }
    // An outcome leaves with what follows, at the latest before anything that rests on it leaves the process.
    if (row.state === 'done' && row.effect !== 'wait') log.add({ steps: [row] })
    else await log.commit({ steps: [row] })
  }

  #toRow(step: Omit<StepRow, 'time' | 'seq'>): StepRow {
    const { log, clock } = this.#settings
    return { ...step, time: clock(), seq: log.seq }
  }
}

/** When a wait ends by itself; undefined: never. */
function expiryOf(until: WaitUntil): number | undefined {
  if ('timer' in until) return until.timer
  if ('approval' in until) return until.approval.expiresAt
  return 'call' in until ? until.call.expiresAt : undefined
}

/** What a wait asks, without what only says how. */
export function waitMark(until: WaitUntil): Pick<StepRow, 'request'> {
  if ('approval' in until) return { request: requestMark(until.approval.tool, until.approval.args) }
  if ('call' in until) return { request: requestMark(until.call.tool, until.call.args) }
  return 'input' in until ? { request: requestMark(until.input.prompt, until.input.schema) } : {}
}
