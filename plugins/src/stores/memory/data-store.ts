import { type SvcError, toSvcError, type Warning } from '@svc/core'
import { type DataProject, prepareDataFile } from '../sqlite/file/data-file.ts'
import { migrate } from '../sqlite/file/schema.ts'
import { Sqlite } from '../sqlite/file/sqlite.ts'
import { type LessonStore, StoredLessons } from './lessons.ts'
import { type MemoryQuotas, MemoryTable } from './memory-table.ts'
import { type OutcomeLog, StoredOutcomes } from './outcomes.ts'

export interface DataStoreOptions {
  /** The data folder; made when the store is opened. */
  dir: string
  /** The project, where the data folder was chosen because it lies in one. */
  project?: DataProject
  /** The folder that runs work in: memories, outcomes and lessons of runs are found by runs in the same one. Default all share one. */
  space?: string
  quotas?: Partial<MemoryQuotas>
  /** Milliseconds since the epoch; default the system's clock. */
  clock?: () => number
}

/**
 * What outlives a process: memories, outcomes of runs and lessons, in `svc.db` of a data folder.
 *
 * Nothing is touched or loaded before the first use. Several processes may use one file at once.
 */
export class DataStore {
  readonly #options: DataStoreOptions
  readonly #warnings: Warning[] = []
  #db: Sqlite | undefined
  #memories: MemoryTable | undefined
  #failure: SvcError | undefined

  constructor(options: DataStoreOptions) {
    this.#options = options
  }

  /** @throws SvcError `store_unavailable`, `disk_full`; the same one each time, unless a retry may help */
  open(): Sqlite {
    if (this.#db !== undefined) return this.#db
    if (this.#failure !== undefined) throw this.#failure
    const { dir, project, clock = Date.now } = this.#options
    let db: Sqlite | undefined
    try {
      const file = prepareDataFile(dir, project)
      db = new Sqlite(file)
      migrate(db, clock())
      this.#db = db
      return db
    } catch (thrown) {
      db?.close()
      this.#failure = toSvcError(thrown)
      throw this.#failure
    }
  }

  get memories(): MemoryTable {
    const { space = '*', quotas, clock = Date.now } = this.#options
    this.#memories ??= new MemoryTable(this.open(), {
      space,
      quotas: { summaries: 1000, bytes: 256 * 1024 * 1024, retainDays: undefined, ...quotas },
      clock,
      warn: (warning) => this.#warnings.push(warning),
    })
    return this.#memories
  }

  /** Of runs in this folder. */
  get outcomes(): OutcomeLog {
    return new StoredOutcomes(() => this.open(), this.#options.space, this.#options.clock)
  }

  /** Of runs in this folder. */
  get lessons(): LessonStore {
    return new StoredLessons(() => this.open(), this.#options.space, this.#options.clock)
  }

  /** What went wrong without ending anything, once each. */
  takeWarnings(): Warning[] {
    return this.#warnings.splice(0)
  }

  /** Writes what was put off and closes the file. The next use opens it again. */
  close(): void {
    const db = this.#db
    if (db === undefined) return
    try {
      this.#memories?.flush()
      this.#memories?.purge()
    } finally {
      this.#db = undefined
      this.#memories = undefined
      db.close()
    }
  }
}
