import { CapacityError, type Commit, isTerminal, type Lease, type RunEvent, type RunRow, SvcError } from '@svc/core'
import type { Meter } from '../../meter.ts'
import { type PreparedCommit, prepareCommit } from '../../prepared-writes.ts'
import type { PreparedRecord } from '../../tables/records.ts'
import type { Database } from '../database.ts'
import type { Row } from '../load-pg.ts'
import type { Partitions } from '../partitions.ts'
import { Batch } from './batch.ts'
import type { RunReader } from './run-reader.ts'
import { noParts, type RunWriter } from './run-writer.ts'
import { type CommitRow, commitRuns, inOrder } from './statements.ts'

/** Runs whose state is known without reading it. */
const MOST_WRITERS = 1000
/** A writer that knew less than the table is made anew so often. */
const MOST_TRIES = 3

/** One commit on its way. */
interface Item {
  runId: string
  epoch: number
  prepared: PreparedCommit
  /** Drawn for this commit: a row that bears it was written by it, whatever became of the connection. */
  mark: number
  /** Number of the run's last event before, in the last try. */
  lastSeq?: number
  result?: readonly RunEvent[] | SvcError
}

export interface CommitsOptions {
  db: Database
  reader: RunReader
  partitions: Partitions
  /** Names this process to those that listen. */
  teller: string
  clock: (() => number) | undefined
  meter: Meter
  onCommit(runId: string, status: RunRow['status'] | undefined): void
}

/** Writes to runs: what several write at once goes into one statement. */
export class Commits {
  readonly #settings: CommitsOptions
  readonly #writers = new Map<string, RunWriter>()
  readonly #batch = new Batch<Item, readonly RunEvent[]>((items) => this.#execute(items), {
    keyOf: ({ runId }) => runId,
  })

  constructor(settings: CommitsOptions) {
    this.#settings = settings
  }

  add({ runId, epoch }: Lease, write: Commit): Promise<readonly RunEvent[]> {
    return this.#batch.add({ runId, epoch, prepared: prepareCommit(runId, write), mark: drawMark() })
  }

  /** What is known of a run from claiming it. */
  know(runId: string, writer: RunWriter): void {
    this.#writers.set(runId, writer)
    if (this.#writers.size > MOST_WRITERS) this.forget(this.#writers.keys().next().value ?? '')
  }

  forget(runId: string): void {
    this.#writers.delete(runId)
  }

  /** Whether this process writes to the run, and so hears of all that happens to it. */
  has(runId: string): boolean {
    return this.#writers.has(runId)
  }

  idle(): Promise<void> {
    return this.#batch.idle()
  }

  async #execute(items: readonly Item[]): Promise<(readonly RunEvent[] | Error)[]> {
    for (let tries = 0; ; tries++) {
      const open = inOrder(items.filter(({ result }) => result === undefined))
      if (open.length === 0) break
      await this.#try(open, tries < MOST_TRIES)
    }
    return items.map(({ runId, result }) => result ?? lost(runId))
  }

  /** Writes once; what did not pass its fence is looked at, and left open where another try may pass. */
  async #try(items: readonly Item[], isOpen: boolean): Promise<void> {
    const { partitions, teller, clock, meter } = this.#settings
    const parts = noParts()
    const rows: CommitRow[] = []
    const asked = new Map<number, Item>()
    for (const item of items) {
      const writer = this.#writers.get(item.runId)
      if (writer === undefined) continue
      const { row, lastSeq } = writer.write(item.epoch, item.mark, item.prepared, parts)
      item.lastSeq = lastSeq
      rows.push(row)
      asked.set(row.run, item)
    }
    if (rows.length > 0) {
      try {
        const started = meter.begin()
        const written = await partitions.write(commitRuns(rows, parts, teller, clock?.() ?? null))
        meter.written(started)
        const places = placesOf(written[0]?.records)
        for (const { seq } of written) this.#succeed(asked.get(Number(seq)), places)
      } catch (thrown) {
        for (const { runId } of items) this.forget(runId)
        throw thrown
      }
    }
    await Promise.all(items.filter(({ result }) => result === undefined).map((item) => this.#lookAgain(item, isOpen)))
  }

  /** A connection was lost after the write, another handle has written under the same lease, or the lease is gone. */
  async #lookAgain(item: Item, isOpen: boolean): Promise<void> {
    const { reader } = this.#settings
    this.forget(item.runId)
    try {
      const found: Row | undefined = await reader.find(item.runId)
      if (found?.mark === item.mark) this.#succeed(item)
      else if (found === undefined || found.epoch !== item.epoch || !isOpen) item.result = lost(item.runId)
      if (found !== undefined && !(item.result instanceof SvcError)) this.know(item.runId, await reader.writerOf(found))
    } catch (thrown) {
      if (!SvcError.isInstance(thrown)) throw thrown
      item.result = thrown
    }
  }

  #succeed(item: Item | undefined, places: Places = NOWHERE): void {
    if (item === undefined) return
    const { events = [], records = [], run } = item.prepared.write
    let seq = item.lastSeq ?? 0
    for (const event of events) event.seq = ++seq
    for (const [index, record] of records.entries()) {
      const prepared = item.prepared.records[index]
      const place = prepared && places.get(nameOf(prepared))
      if (place !== undefined) record.seq = place
    }
    item.result = events
    if (run?.status !== undefined && isTerminal(run.status)) this.forget(item.runId)
    this.#settings.meter.logged(item.prepared.record)
    this.#settings.onCommit(item.runId, run?.status)
  }
}

/** Where records stand, by their names. */
type Places = ReadonlyMap<string, number>

const NOWHERE: Places = new Map()

type RecordName = Pick<PreparedRecord, 'kind' | 'space' | 'id'>

const nameOf = ({ kind, space, id }: RecordName): string => JSON.stringify([kind, space, id])

const placesOf = (records: unknown): Places =>
  Array.isArray(records)
    ? new Map(records.map((record: RecordName & { seq: number }) => [nameOf(record), record.seq]))
    : NOWHERE

/** What nobody else draws. */
export const drawMark = (): number => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)

const lost = (runId: string): SvcError => new CapacityError('lease_lost', `run ${runId} is held by another process now`)
