import { fits, type MemoryBackend, type Warning } from '@svc/core'
import { MemoryRecord } from '@svc/core/schema'
import { textOf } from '../keys.ts'
import { seal, unseal } from '../seal.ts'
import { bytesOf, type Row, type Sqlite } from '../sqlite/file/sqlite.ts'

/** How much is kept. */
export interface MemoryQuotas {
  /** Summaries of runs, for each folder that runs work in; older ones go. Default 1000. */
  summaries: number
  /** Bytes of the whole file; then what runs wrote goes, oldest first. Default 256 MiB. */
  bytes: number
  /** Days that what a run wrote is kept; default as long as there is room. */
  retainDays: number | undefined
}

export interface MemoryTableOptions {
  /** The folder that runs work in: what they remember is found there alone. */
  space: string
  quotas: MemoryQuotas
  clock: () => number
  warn: (warning: Warning) => void
}

/** What people said belongs to every user of the file; what runs made of it, to the folder that they worked in. */
const SHARED = ''
const MOST_TOUCHED = 1000
const DAY_MS = 86_400_000

const isMemoryRecord = (value: unknown): value is MemoryRecord => fits(MemoryRecord, value)

/**
 * The records of one folder, and those that all share, as rows.
 */
export class MemoryTable implements MemoryBackend {
  readonly #db: Sqlite
  readonly #options: MemoryTableOptions
  readonly #known = new Set<string>()
  readonly #touched = new Map<string, MemoryRecord>()
  #revisions: Readonly<Record<string, number>> = {}
  #isStale = true
  #unpurged = false

  constructor(db: Sqlite, options: MemoryTableOptions) {
    this.#db = db
    this.#options = options
  }

  /** Whether another process has written what `load` has not seen. */
  isStale(): boolean {
    if (!this.#isStale && this.#db.hasChanged()) this.#isStale = !this.#isCurrent(this.#readRevisions())
    return this.#isStale
  }

  /** Episodes since the last consolidation. */
  countFresh(): number {
    const row = this.#db.get(
      `SELECT count(*) AS fresh FROM memories
       WHERE space IN (?, ?) AND layer = 'episodic'
         AND seq > coalesce((SELECT consolidated FROM revisions WHERE space = ?), 0)`,
      [SHARED, this.#options.space, this.#options.space],
    )
    return Number(row?.fresh ?? 0)
  }

  markConsolidated(): void {
    const { space } = this.#options
    this.#db.transaction(() => {
      this.#countUp(space)
      this.#db.run('UPDATE revisions SET consolidated = (SELECT coalesce(max(seq), 0) FROM memories) WHERE space = ?', [
        space,
      ])
    })
  }

  async load(): Promise<MemoryRecord[]> {
    this.flush()
    this.#prune()
    // Before the rows: what is written in between is then seen as new.
    this.#db.hasChanged()
    this.#revisions = this.#readRevisions()
    this.#isStale = false
    this.#known.clear()
    const records: MemoryRecord[] = []
    let damaged = 0
    const rows = this.#db.all(
      `SELECT ${bytesOf('id')}, ${bytesOf('body')}, crc FROM memories WHERE space IN (?, ?) ORDER BY seq`,
      [SHARED, this.#options.space],
    )
    for (const row of rows) {
      const record = unseal(row, isMemoryRecord)
      if (record === undefined || record.id !== textOf(row.id)) {
        damaged++
        continue
      }
      this.#known.add(record.id)
      records.push(record)
    }
    if (damaged > 0) {
      const message = `${damaged} damaged ${damaged === 1 ? 'record was' : 'records were'} left out of the memory`
      this.#options.warn({ code: 'memory_damaged', message })
    }
    return records
  }

  async put(record: MemoryRecord): Promise<void> {
    const { id } = record
    if (!this.#known.has(id)) {
      this.#insert(record)
      this.#known.add(id)
      return
    }
    if (this.#stored(id) === undefined) return // deleted by another process, and it stays so
    this.#touched.delete(id)
    this.#db.transaction(() => {
      this.#writeTouched()
      this.#update(record)
      this.#countUp(this.#spaceOf(record))
    })
    this.#touched.clear()
  }

  /** How often a record was found is written with the next change, not at once: it is not worth a commit. */
  async touch(record: MemoryRecord): Promise<void> {
    this.#touched.set(record.id, record)
    if (this.#touched.size >= MOST_TOUCHED) this.flush()
  }

  async delete(ids: readonly string[]): Promise<void> {
    const rows: { id: string; space: string }[] = []
    for (const id of ids) {
      this.#touched.delete(id)
      this.#known.delete(id)
      const row = this.#row(id)
      if (row !== undefined) rows.push({ id, space: textOf(row.space) })
    }
    if (rows.length === 0) return
    this.#db.transaction(() => {
      for (const { id, space } of rows) this.#db.run('DELETE FROM memories WHERE id = ? AND space = ?', [id, space])
      for (const space of new Set(rows.map((row) => row.space))) this.#countUp(space)
    })
    this.#unpurged = true
  }

  /** Leaves nothing of what was deleted in the files. */
  purge(): void {
    if (!this.#unpurged) return
    this.#db.purge()
    this.#unpurged = false
  }

  /** Writes what was put off. */
  flush(): void {
    if (this.#touched.size === 0) return
    this.#db.transaction(() => this.#writeTouched())
    this.#touched.clear()
  }

  #spaceOf({ source }: MemoryRecord): string {
    return source.origin === 'user' && source.runId === undefined ? SHARED : this.#options.space
  }

  #stored(id: string): MemoryRecord | undefined {
    const row = this.#row(id)
    return row === undefined ? undefined : unseal(row, isMemoryRecord)
  }

  #row(id: string): Row | undefined {
    const { space } = this.#options
    return this.#db.get(
      `SELECT ${bytesOf('space')}, ${bytesOf('body')}, crc FROM memories WHERE id = ? AND space IN (?, ?)`,
      [id, SHARED, space],
    )
  }

  #insert(record: MemoryRecord): void {
    const { body, crc } = seal(record)
    const space = this.#spaceOf(record)
    const { id, layer, kind, createdAt, expiresAt } = record
    this.#db.transaction(() => {
      this.#writeTouched()
      this.#db.run(
        `INSERT INTO memories (id, space, layer, kind, created_at, expires_at, body, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (space, id) DO UPDATE SET layer = excluded.layer, body = excluded.body, crc = excluded.crc`,
        [
          id,
          space,
          layer,
          kind,
          Date.parse(createdAt),
          expiresAt === undefined ? null : Date.parse(expiresAt),
          body,
          crc,
        ],
      )
      this.#countUp(space)
    })
    this.#touched.clear()
  }

  #update(record: MemoryRecord): void {
    const { body, crc } = seal(record)
    this.#db.run('UPDATE memories SET layer = ?, body = ?, crc = ? WHERE id = ? AND space = ?', [
      record.layer,
      body,
      crc,
      record.id,
      this.#spaceOf(record),
    ])
  }

  /** Into the record as it stands now: another process may have changed the rest of it. */
  #writeTouched(): void {
    for (const { id, accessCount, lastAccessedAt } of this.#touched.values()) {
      const stored = this.#stored(id)
      if (stored !== undefined) this.#update({ ...stored, accessCount, lastAccessedAt })
    }
  }

  /** Inside a transaction: marks the change for other processes, and checks whether one of them has made one. */
  #countUp(space: string): void {
    const isCurrent = this.#isCurrent(this.#readRevisions())
    this.#db.run(
      `INSERT INTO revisions (space, revision, consolidated) VALUES (?, 1, 0)
       ON CONFLICT (space) DO UPDATE SET revision = revision + 1`,
      [space],
    )
    if (isCurrent) this.#revisions = this.#readRevisions()
    else this.#isStale = true
  }

  #readRevisions(): Record<string, number> {
    const rows = this.#db.all(`SELECT ${bytesOf('space')}, revision FROM revisions WHERE space IN (?, ?)`, [
      SHARED,
      this.#options.space,
    ])
    return Object.fromEntries(rows.map(({ space, revision }) => [textOf(space), Number(revision)]))
  }

  #isCurrent(now: Readonly<Record<string, number>>): boolean {
    return [SHARED, this.#options.space].every((space) => now[space] === this.#revisions[space])
  }

  #prune(): void {
    const { clock, quotas, space } = this.#options
    const nowMs = clock()
    const oldest = quotas.retainDays === undefined ? 0 : nowMs - quotas.retainDays * DAY_MS
    const summaries = "space = ? AND kind = 'summary' AND layer = 'episodic'"
    const surplus = this.#db.get(`SELECT seq FROM memories WHERE ${summaries} ORDER BY seq DESC LIMIT 1 OFFSET ?`, [
      space,
      quotas.summaries,
    ])?.seq
    const isLarge = this.#bytes() > quotas.bytes
    const dead = '(expires_at IS NOT NULL AND expires_at <= ?) OR (space <> ? AND created_at < ?)'
    const hasDead = this.#db.get(`SELECT 1 FROM memories WHERE ${dead} LIMIT 1`, [nowMs, SHARED, oldest]) !== undefined
    if (surplus === undefined && !isLarge && !hasDead) return
    this.#db.transaction(() => {
      if (surplus !== undefined)
        this.#db.run(`DELETE FROM memories WHERE ${summaries} AND seq <= ?`, [space, Number(surplus)])
      if (hasDead) this.#db.run(`DELETE FROM memories WHERE ${dead}`, [nowMs, SHARED, oldest])
      // A tenth more than needed, so that a full file is not sorted at every start.
      for (let round = 0; isLarge && round < 100 && this.#bytes() > quotas.bytes * 0.9; round++) {
        const gone = this.#db.run(
          'DELETE FROM memories WHERE seq IN (SELECT seq FROM memories WHERE space <> ? ORDER BY seq LIMIT 1000)',
          [SHARED],
        )
        if (gone === 0) break
      }
      this.#unpurged = true
      for (const { space: one } of this.#db.all(`SELECT ${bytesOf('space')} FROM revisions`)) this.#countUp(textOf(one))
    })
  }

  #bytes(): number {
    const numberOf = (name: string): number => Number(this.#db.get(`PRAGMA ${name}`)?.[name] ?? 0)
    return (numberOf('page_count') - numberOf('freelist_count')) * numberOf('page_size')
  }
}
