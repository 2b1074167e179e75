import { SvcError, type SvcErrorOptions } from '@svc/core'
import { loadLibsql, type NativeDatabase, type NativeStatement, type SqlValue } from './load-libsql.ts'
import { LOG_BYTES, PAGE_BYTES } from './page-bytes.ts'
import { refuseDamagedLog } from './wal-check.ts'

/** Everything that a row of ours holds. */
export type Row = Readonly<Record<string, unknown>>

/** A text column as its bytes: the driver ends the process where a damaged text is no UTF-8. */
export const bytesOf = (column: string, name = column): string => `CAST(${column} AS BLOB) AS ${name}`

const BUSY_TIMEOUT_MS = 5000
const WAL_TRIES = 100

export interface SqliteOptions {
  /** False: a crash of the machine may lose what was committed last. Default true. */
  isDurable?: boolean
}

/**
 * One connection to a database file: durable at every commit, several processes at once, deleted bytes overwritten.
 *
 * Values are bound by position only, because the driver aborts the process when it is handed an object. Every call is
 * synchronous; every failure is a `store_unavailable` or a `disk_full`.
 */
export class Sqlite {
  readonly file: string
  #busyMs = BUSY_TIMEOUT_MS
  readonly #native: NativeDatabase
  readonly #statements = new Map<string, NativeStatement>()
  #version: unknown
  #isWriting = false

  constructor(file: string, { isDurable = true }: SqliteOptions = {}) {
    this.file = file
    const Driver = loadLibsql()
    // What is not made durable may be lost in any order.
    if (isDurable) refuseDamagedLog(file)
    this.#native = this.#guarded(() => new Driver(file))
    try {
      this.waitAtMost(BUSY_TIMEOUT_MS)
      this.all(`PRAGMA page_size=${PAGE_BYTES}`) // one that has pages keeps their size
      this.all(`PRAGMA wal_autocheckpoint=${LOG_BYTES / Number(this.get('PRAGMA page_size')?.page_size)}`)
      this.#useWal()
      this.all(`PRAGMA synchronous=${isDurable ? 'FULL' : 'OFF'}`)
      this.all('PRAGMA secure_delete=ON')
      this.all('PRAGMA trusted_schema=OFF')
      this.#version = this.#readVersion()
    } catch (thrown) {
      this.#native.close()
      throw thrown
    }
  }

  /** @param ms how long a call waits for other processes, and the event loop with it. Default 5000. */
  waitAtMost(ms: number): void {
    this.#busyMs = ms
    this.all(`PRAGMA busy_timeout=${ms}`)
  }

  /** As `all`, without the database. */
  readonly read = (sql: string, values: readonly SqlValue[]): Row[] => this.all(sql, values)

  all(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#guarded(() => this.#prepare(sql).all(values).map(withoutMetadata))
  }

  get(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#guarded(() => {
      const row = this.#prepare(sql).get(values)
      return row === undefined ? undefined : withoutMetadata(row)
    })
  }

  /** @returns how many rows it changed */
  run(sql: string, values: readonly SqlValue[] = []): number {
    return this.#write(sql, values).changes
  }

  /** @returns the number of the new row */
  insert(sql: string, values: readonly SqlValue[]): number {
    return this.#write(sql, values).lastInsertRowid
  }

  /** Several statements without values. */
  exec(sql: string): void {
    this.#guarded(() => this.#native.exec(sql))
  }

  /**
   * All of it or nothing; other writers wait.
   *
   * A prepared statement that meets the lock of another process stays at work in the driver until it runs again. As long
   * as it does, what others write beside it is not committed, and is undone with it. So nothing is written before the lock
   * is held, and the statements that can meet one are those of `exec`, which the driver ends at once.
   */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE')
    this.#isWriting = true
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (thrown) {
      try {
        this.exec('ROLLBACK')
      } catch {
        // SQLite has rolled back by itself
      }
      throw thrown
    } finally {
      this.#isWriting = false
    }
  }

  /** Whether another connection has committed since this was last asked; a few microseconds. */
  hasChanged(): boolean {
    const before = this.#version
    this.#version = this.#readVersion()
    return this.#version !== before
  }

  /** Empties the log, where deleted text could still be read. A reader that is in the middle of it puts this off. */
  purge(): void {
    this.all('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  /**
   * Lets the log be written from its beginning again, which takes no room on the disk.
   *
   * @returns false where its pages do not fit into the database, or somebody reads them
   */
  reuseLog(): boolean {
    try {
      return Number(this.get('PRAGMA wal_checkpoint(RESTART)')?.busy) === 0
    } catch {
      return false
    }
  }

  close(): void {
    this.#statements.clear()
    this.#guarded(() => this.#native.close())
  }

  #readVersion(): unknown {
    return this.get('PRAGMA data_version')?.data_version
  }

  /** The change to WAL needs the file for itself, and fails at once where another process has it. */
  #useWal(): void {
    for (let left = WAL_TRIES; ; left--) {
      try {
        this.all('PRAGMA journal_mode=WAL')
        return
      } catch (thrown) {
        if (left === 0 || !isBusy(thrown)) throw thrown
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      }
    }
  }

  #write(sql: string, values: readonly SqlValue[]): ReturnType<NativeStatement['run']> {
    const run = (): ReturnType<NativeStatement['run']> => this.#guarded(() => this.#prepare(sql).run(values))
    return this.#isWriting ? run() : this.transaction(run)
  }

  #prepare(sql: string): NativeStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#native.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (thrown) {
      throw toStoreError(thrown, this.file, this.#busyMs)
    }
  }
}

function withoutMetadata(row: unknown): Row {
  const { _metadata, ...rest } = row as Record<string, unknown>
  return rest
}

const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '')

/** Whether another process held the file. */
export const isBusy = (thrown: unknown): boolean =>
  thrown instanceof SvcError && /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown.cause))

/** Whether the disk has no room. */
export const isFull = (thrown: unknown): boolean => thrown instanceof SvcError && thrown.code === 'disk_full'

/** Whether what was read is not what was written. */
export const isDamage = (thrown: unknown): boolean =>
  thrown instanceof SvcError && /^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(thrown.cause))

function toStoreError(thrown: unknown, file: string, busyMs: number): SvcError {
  if (thrown instanceof SvcError) return thrown
  const code = codeOf(thrown)
  const options: SvcErrorOptions = { cause: thrown }
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  if (/^SQLITE_(?:FULL|IOERR_SHMSIZE)/.test(code))
    return new SvcError(
      'disk_full',
      `${file} cannot grow: the disk is full; make room, or set store.dir or SVC_DATA_DIR to another`,
      options,
    )
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(code))
    return new SvcError(
      'store_unavailable',
      `${file} was held by another process for more than ${busyMs} ms: try again`,
      options,
    )
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code))
    return new SvcError(
      'store_unavailable',
      `${file} is damaged or no database of svc (${said}): move it away and svc makes a new one`,
      options,
    )
  // An error while opening has its number at the end of its text, and no code.
  if (/^SQLITE_(?:READONLY|CANTOPEN|PERM)/.test(code) || /Unable to open.{0,4000}: 14\b/.test(said))
    return new SvcError(
      'store_unavailable',
      `${file} cannot be ${code.startsWith('SQLITE_READONLY') ? 'written: it or its folder is read-only' : 'opened: you have no permission'}; set store.dir or SVC_DATA_DIR to a folder that can`,
      { ...options, retryable: false },
    )
  return new SvcError('store_unavailable', `${file}: ${said}`, options)
}
