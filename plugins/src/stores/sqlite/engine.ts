import { toKey } from '../keys.ts'
import type { Meter } from '../meter.ts'
import { type DataProject, prepareFile } from './file/data-file.ts'
import { keepReserve, releaseReserve } from './file/reserve.ts'
import { migrate } from './file/schema.ts'
import { isFull, Sqlite } from './file/sqlite.ts'
import { openLeaseClock } from './lease-clock.ts'
import { Leases } from './leases.ts'
import { Processes } from './processes.ts'
import { RunList } from './run-list.ts'
import { RunLog } from './run-log.ts'
import { RunRows } from './run-rows.ts'
import { RunWrites } from './run-writes.ts'
import { Watchers } from './watchers.ts'
import { WordIndex } from './word-index.ts'
import { WriteQueue } from './write-queue.ts'

/** A call never keeps the event loop waiting for other processes longer than this. */
const BUSY_MS = 50

export interface EngineOptions {
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
  readonly log: RunLog
  readonly rows: RunRows
  readonly writes: RunWrites
  readonly processes: Processes
  readonly leases: Leases
  readonly watchers: Watchers
  readonly list: RunList
  readonly words: WordIndex
  #removing = 0

  /** @throws SvcError `store_unavailable`, `disk_full` */
  constructor({ file, project, space: folder, fsync, clock, meter }: EngineOptions) {
    prepareFile(file, project)
    const open = (): { db: Sqlite; leaseClock: () => number } => openDatabase(file, fsync !== 'off', clock)
    let opened: ReturnType<typeof open>
    try {
      opened = open()
      keepReserve(file)
    } catch (thrown) {
      if (!isFull(thrown)) throw thrown
      releaseReserve(file)
      opened = open()
      keepReserve(file, true)
    }
    const { db, leaseClock } = opened
    db.waitAtMost(BUSY_MS)
    const space = toKey(folder)
    this.db = db
    this.log = new RunLog(db)
    this.rows = new RunRows(db, this.log)
    this.words = new WordIndex(db)
    this.writes = new RunWrites(db, this.words)
    this.processes = new Processes(db)
    this.leases = new Leases({ db, rows: this.rows, processes: this.processes, space, clock: leaseClock })
    this.list = new RunList(db, this.leases, this.words)
    this.queue = new WriteQueue({ db, isSingle: fsync === 'always', meter, onUndone: () => this.writes.forget() })
    this.watchers = new Watchers({
      db,
      dead: () => this.processes.dead,
      space,
      onEmpty: (numbers) => {
        this.queue.add(() => this.processes.clean(numbers)).catch(() => {}) // the next look tries again
      },
    })
  }

  /** Has something removed, on a full disk too: there is room kept for that. Its log is emptied of it afterwards. */
  async remove<T>(work: () => Promise<T>): Promise<T> {
    this.#removing++
    try {
      return await work().catch((thrown: unknown) => {
        if (!isFull(thrown)) throw thrown
        releaseReserve(this.db.file)
        this.db.purge()
        return work()
      })
    } finally {
      if (--this.#removing === 0) {
        this.db.purge()
        keepReserve(this.db.file)
      }
    }
  }

  /** Writes what waits to be written, and closes the file. */
  async close(): Promise<void> {
    this.watchers.close()
    this.words.close()
    const { number } = this.processes
    // What it still holds is held until it is seen to be gone.
    if (number !== undefined) this.queue.add(() => this.processes.clean([number])).catch(() => {})
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

function openDatabase(file: string, isDurable: boolean, clock: () => number): { db: Sqlite; leaseClock: () => number } {
  // Two processes may be making the file: who comes second waits longer than a store at work would.
  const db = new Sqlite(file, { isDurable })
  try {
    migrate(db, clock())
    // A clock that was given counts for everything.
    return { db, leaseClock: clock === Date.now ? openLeaseClock(db, clock) : clock }
  } catch (thrown) {
    db.close()
    throw thrown
  }
}
