import { type DataProject, prepareFile } from '../data-file.ts'
import type { Meter } from '../meter.ts'
import { migrate } from '../schema.ts'
import { Sqlite } from '../sqlite.ts'
import { guarded, newerFormat, toKey } from './columns.ts'
import { openLeaseClock } from './lease-clock.ts'
import { Leases } from './leases.ts'
import { PayloadTable } from './payload-table.ts'
import { Processes } from './processes.ts'
import { measureOld } from './run-figures.ts'
import { RunLog } from './run-log.ts'
import { FORMAT, RunRows } from './run-rows.ts'
import { RunWriter } from './run-writer.ts'
import { Watchers } from './watchers.ts'
import { WriteQueue } from './write-queue.ts'

/** A call never keeps the event loop waiting for other processes longer than this. */
const BUSY_MS = 50
/** Runs whose state is known without reading it. */
const MOST_WRITERS = 1000

export interface EngineSettings {
  /** The database file. */
  file: string
  /** The project's folder, where the file was chosen because it lies in one. */
  project?: DataProject | undefined
  /** The folder that runs work in: a process works only on runs that were made in its own. */
  space: string
  fsync: 'always' | 'group' | 'off'
  clock: () => number
  meter: Meter
}

/** An open database of runs and what reads and writes it. */
export class Engine {
  readonly db: Sqlite
  readonly queue: WriteQueue
  readonly payloads: PayloadTable
  readonly log: RunLog
  readonly rows: RunRows
  readonly processes: Processes
  readonly leases: Leases
  readonly watchers: Watchers
  readonly #writers = new Map<string, RunWriter>()
  #turn: number | undefined

  /** @throws SvcError `store_unavailable`, `disk_full` */
  constructor({ file, project, space, fsync, clock, meter }: EngineSettings) {
    prepareFile(file, project)
    // Two processes may be making the file: who comes second waits longer than a store at work would.
    const db = new Sqlite(file, { isDurable: fsync !== 'off' })
    let leaseClock = clock
    try {
      migrate(db, clock())
      measureOld(db)
      // A clock that was given counts for everything.
      if (clock === Date.now) leaseClock = openLeaseClock(db, clock)
    } catch (thrown) {
      db.close()
      throw thrown
    }
    db.waitAtMost(BUSY_MS)
    this.db = db
    this.payloads = new PayloadTable(db)
    this.log = new RunLog(db, this.payloads)
    this.rows = new RunRows(db, this.payloads, this.log)
    this.processes = new Processes(db)
    this.leases = new Leases({ db, rows: this.rows, processes: this.processes, space: toKey(space), clock: leaseClock })
    this.queue = new WriteQueue({
      db,
      isSingle: fsync === 'always',
      meter,
      onBegin: () => {
        this.#turn = undefined
      },
      onRollback: () => {
        this.#writers.clear()
        this.processes.forget()
      },
    })
    this.watchers = new Watchers({
      db,
      dead: () => this.processes.dead,
      space: toKey(space),
      onEmpty: (numbers) => {
        this.queue.add(() => this.processes.clean(numbers)).catch(() => {}) // the next look tries again
      },
    })
  }

  /** The number of the changes that this transaction makes, for those in other processes who watch. */
  turn(): number {
    this.#turn ??= Number(this.db.get('UPDATE run_turn SET turn = turn + 1 RETURNING turn')?.turn)
    return this.#turn
  }

  /** What is known of a run that is being written; undefined where there is no such run. */
  writerOf(runId: string): RunWriter | undefined {
    const known = this.#writers.get(runId)
    if (known !== undefined) return known
    const found = this.rows.find(runId)
    if (found === undefined) return undefined
    const writer = new RunWriter(this.db, this.payloads, found, runId)
    this.#writers.set(runId, writer)
    if (this.#writers.size > MOST_WRITERS) this.dropWriter(this.#writers.keys().next().value ?? '')
    return writer
  }

  /** @throws SvcError `store_unavailable` for a run of a newer svc */
  numberOf(runId: string): number | undefined {
    const found = guarded(runId, () => this.db.get('SELECT seq, format FROM runs WHERE id = ?', [toKey(runId)]))
    if (found === undefined) return undefined
    if (Number(found.format) > FORMAT) throw newerFormat(runId, found.format)
    return Number(found.seq)
  }

  dropWriter(runId: string): void {
    this.#writers.delete(runId)
  }

  /** Writes what waits to be written, and closes the file. */
  async close(): Promise<void> {
    this.watchers.close()
    const { known } = this.processes
    // What it still holds is held until it is seen to be gone.
    if (known !== undefined) this.queue.add(() => this.processes.clean([known])).catch(() => {})
    await this.queue.idle()
    try {
      // The driver closes the file when its statements are collected, so that its log would stay.
      this.db.purge()
    } catch {
      // The next process to open the file writes what its log holds.
    } finally {
      this.db.close()
    }
  }
}
