import type { BegunStep, Journal, StepEffect, StepKey, StepRow, WaitUntil } from '../../contracts/log/journal.ts'
import type { Resolution } from '../../contracts/run/approval.ts'
import { UsageError } from '../../errors.ts'
import { setLongTimer } from '../../support/long-timer.ts'
import type { EventLog } from './event-log.ts'

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
  /** Called for each new record. */
  onRecord(): void
}

const NONE: ReadonlyMap<StepKey, StepRow> = new Map()

/** The meaning of steps, once, over the rows of any store. See `Journal`. */
export class KeyedJournal implements Journal {
  readonly #settings: KeyedJournalOptions
  readonly #earlier: ReadonlyMap<StepKey, StepRow>
  readonly #used = new Set<StepKey>()
  /** Made with the first wait: most runs have none. */
  #waiting: Map<StepKey, (resolution: Resolution) => void> | undefined
  #resolved: Set<StepKey> | undefined
  #replaying = false
  /** Who does a step in two halves waits for what is written before it acts; a step as a whole, here. */
  #isUnwritten = false
  #time: number

  constructor(settings: KeyedJournalOptions) {
    this.#settings = settings
    this.#earlier = settings.rows.length === 0 ? NONE : new Map(settings.rows.map((row) => [row.key, row]))
    this.#time = settings.createdAt
  }

  get replaying(): boolean {
    return this.#replaying
  }

  get time(): number {
    return this.#time
  }

  stateOf(key: StepKey): 'new' | 'begun' | 'done' {
    return this.#resolved?.has(key) ? 'done' : (this.#earlier.get(key)?.state ?? 'new')
  }

  /** What a wait that was begun before a crash waits for. */
  awaited(key: StepKey): WaitUntil | undefined {
    const row = this.#earlier.get(key)
    return row?.state === 'begun' && row.effect === 'wait' ? (row.outcome as WaitUntil) : undefined
  }

  async step<T>(key: StepKey, effect: StepEffect, body: (tries: number) => Promise<T>): Promise<T> {
    const step = await this.begin<T>(key, effect)
    if (step.isDone) return step.outcome
    if (this.#isUnwritten) await this.#settings.log.commit()
    this.#isUnwritten = false
    const outcome = await body(step.tries)
    await step.end(outcome)
    return outcome
  }

  async begin<T>(key: StepKey, effect: StepEffect): Promise<BegunStep<T>> {
    if (this.#used.has(key)) {
      throw new UsageError(
        'journal_key_reused',
        `the journal key "${key}" was used twice: give each call of a run a key of its own`,
      )
    }
    this.#used.add(key)
    const row = this.#earlier.get(key)
    if (row?.state === 'done') return { isDone: true, outcome: this.#again(row) as T }
    if (row?.effect === 'once') {
      throw new UsageError('journal_key_reused', `the step "${key}" was begun before a crash: ask a person first`)
    }
    this.#replaying = false
    if (this.#settings.onBegin(key)) this.#isUnwritten = true
    if (effect !== 'pure') await this.#record(key, effect, 'begun')
    await this.#settings.confirmLease?.()
    return {
      isDone: false,
      tries: row === undefined ? 1 : 2,
      end: async (outcome) => this.#record(key, effect, 'done', outcome ?? null),
    }
  }

  async wait(key: StepKey, until: WaitUntil): Promise<Resolution> {
    const row = this.#earlier.get(key)
    if (row?.state === 'done') return this.#again(row) as Resolution
    this.#settings.refuse(key)
    const awaited = this.awaited(key) ?? until
    const resolution = new Promise<Resolution>((resolve) => {
      this.#waiting ??= new Map()
      this.#waiting.set(key, resolve)
    })
    if (row === undefined) await this.#record(key, 'wait', 'begun', until)
    const expiresAt =
      'timer' in awaited ? awaited.timer : 'approval' in awaited ? awaited.approval.expiresAt : undefined
    const stop =
      expiresAt === undefined
        ? undefined
        : setLongTimer(expiresAt, this.#settings.clock, () => {
            // A store that fails here has failed the run already.
            this.resolve(key, { kind: 'expired' }).catch(() => {})
          })
    return resolution.finally(stop)
  }

  async resolve(key: StepKey, resolution: Resolution): Promise<void> {
    this.#resolved ??= new Set()
    if (this.#resolved.has(key)) return
    this.#resolved.add(key)
    await this.#record(key, 'wait', 'done', resolution)
    this.#waiting?.get(key)?.(resolution)
    this.#waiting?.delete(key)
  }

  #again(row: StepRow): unknown {
    this.#replaying = true
    this.#time = Math.max(this.#time, row.time)
    return row.outcome
  }

  async #record(key: StepKey, effect: StepRow['effect'], state: StepRow['state'], outcome?: unknown): Promise<void> {
    const { log, clock, onRecord } = this.#settings
    const row: StepRow = { key, effect, state, time: clock(), seq: log.seq }
    if (outcome !== undefined) row.outcome = outcome
    if (state === 'done') {
      this.#time = row.time
      onRecord()
    }
    // An outcome leaves with what follows, at the latest before anything that rests on it leaves the process.
    if (state === 'done' && effect !== 'wait') log.add({ steps: [row] })
    else await log.commit({ steps: [row] })
  }
}
