import { crc32 } from 'node:zlib'
import {
  figuresOf,
  type Holder,
  isTerminal,
  type Lease,
  type NewEvent,
  type RunRow,
  type StepRow,
  type Store,
  SvcError,
} from '@svc/core'
import { toRunWords } from '@svc/core/text'
import { toKey } from '../../keys.ts'
import type { Meter } from '../../meter.ts'
import { type Idempotency, type PreparedRun, prepareRun } from '../../prepared-writes.ts'
import { toColumns } from '../../queries/figure-columns.ts'
import { rankOf, tagsOf, tenantOf } from '../../run-row.ts'
import type { Database } from '../database.ts'
import { isUniqueViolation } from '../errors.ts'
import type { Row } from '../load-pg.ts'
import type { Owners } from '../owners.ts'
import type { Partitions } from '../partitions.ts'
import { Batch } from './batch.ts'
import { type Commits, drawMark } from './commits.ts'
import { type RunReader, SELECT_RUNS } from './run-reader.ts'
import { addModels, addTexts, logRow, noParts, RunWriter } from './run-writer.ts'
import { type CreateRow, createRuns, type Parts } from './statements.ts'
import { TextPacker } from './text-packer.ts'

type Created = Awaited<ReturnType<Store['create']>>

/** One new run on its way. */
interface Item {
  prepared: PreparedRun
  idempotency: Idempotency | undefined
  /** Drawn for this creation: see `Commits`. */
  mark: number
  /** Who has its first lease. */
  holder: Holder | undefined
}

export interface CreationsOptions {
  db: Database
  reader: RunReader
  partitions: Partitions
  commits: Commits
  owners: Owners
  teller: string
  clock: (() => number) | undefined
  meter: Meter
  onCreate(run: RunRow): void
}

/** Makes runs: those that are asked for at once are written in one statement. */
export class Creations {
  readonly #settings: CreationsOptions
  readonly #batch = new Batch<Item, Created>((items) => this.#execute(items), {
    keyOf: ({ idempotency }) => idempotency && `${idempotency.scope}\n${idempotency.key}`,
  })

  constructor(settings: CreationsOptions) {
    this.#settings = settings
  }

  add(
    row: RunRow,
    events: readonly NewEvent[],
    idempotency?: Idempotency,
    steps?: readonly StepRow[],
    holder?: Holder,
  ): Promise<Created> {
    return this.#batch.add({ prepared: prepareRun(row, events, steps), idempotency, mark: drawMark(), holder })
  }

  idle(): Promise<void> {
    return this.#batch.idle()
  }

  async #execute(items: readonly Item[]): Promise<(Created | Error)[]> {
    const { partitions, teller, clock, meter, commits, owners, onCreate } = this.#settings
    const parts = noParts()
    const added = items.map((item, index) => addRun(index, item, parts, owners.lock))
    const rows = added.map(({ row }) => row)
    const statement = createRuns(rows, parts, teller, clock?.() ?? null)
    const started = meter.begin()
    const written = await partitions.write(statement).catch((thrown) => {
      // What a lost connection left behind was still at it: now it is there.
      if (isUniqueViolation(thrown)) return partitions.write(statement)
      throw thrown
    })
    meter.written(started)
    partitions.made(Math.max(...written.map(({ seq }) => Number(seq))))
    const made = new Map(written.map((found) => [found.id, found]))
    return Promise.all(
      items.map((item, index) => {
        const { row, record } = item.prepared
        const found = made.get(toKey(row.id))
        if (found === undefined) return this.#earlier(item).catch((thrown) => thrown as Error)
        meter.logged(record)
        const lease = leaseOf(item, found)
        const { row: written, texts } = added[index] ?? {}
        if (lease !== undefined && texts !== undefined)
          commits.know(row.id, new RunWriter({ ...written, seq: found.seq }, '{}', texts))
        onCreate(row)
        return { run: { ...row, lastSeq: record.events }, replayed: false, ...(lease && { lease }) }
      }),
    )
  }

  /** The run that is there already: of the same key, or this one, written before a connection was lost. */
  async #earlier(item: Item): Promise<Created> {
    const {
      prepared: { row, record },
      idempotency,
      mark,
    } = item
    const { db, reader, onCreate } = this.#settings
    const own = await reader.find(row.id)
    if (own?.mark === mark || (own !== undefined && idempotency !== undefined)) {
      const lease = own.epoch === 1 ? leaseOf(item, own) : undefined
      onCreate(row)
      return { run: { ...row, lastSeq: record.events }, replayed: false, ...(lease && { lease }) }
    }
    if (idempotency === undefined) throw new SvcError('store_unavailable', `run ${row.id} is there already`)
    const { scope, key, bodyHash } = idempotency
    const [found] = await db.query({
      text: `${SELECT_RUNS.replace('SELECT ', 'SELECT k.body_hash, ')} JOIN run_keys AS k ON k.run = r.seq
        WHERE k.scope = $1 AND k.key = $2`,
      values: [toKey(scope), toKey(key)],
    })
    if (found === undefined)
      throw new SvcError('store_unavailable', `the run of the key "${key}" was just removed: try again`)
    if (found.body_hash !== bodyHash) {
      throw new SvcError('idempotency_mismatch', `the idempotency key "${key}" was used with another body`)
    }
    return { run: await reader.read(found), replayed: true }
  }
}

/** The lease that a run was made with. @param found with its end */
function leaseOf({ prepared: { row }, holder }: Item, { expires_at }: Row): Lease | undefined {
  return holder && { runId: row.id, owner: holder.owner, epoch: 1, expiresAt: Number(expires_at) }
}

/** Adds a new run to a write. @returns its row, and the long strings that it has */
function addRun(
  index: number,
  { prepared, idempotency, mark, holder }: Item,
  parts: Required<Parts>,
  lock: number | null,
): { row: CreateRow; texts: TextPacker['known'] } {
  const { row, request, record } = prepared
  const { id, status, mode, threadId, createdAt, startBy, version, agents, create } = row
  const texts = new TextPacker(0, () => [])
  const body = texts.pack(request)
  const [tokens, cost, duration] = toColumns(row)
  const isLogged = record.events + record.steps > 0
  const logEnd = isLogged ? Math.max(1, record.events) : 0
  if (isLogged) parts.logs.push(logRow(index, logEnd, record.events, record.steps > 0, texts.pack(record.body)))
  addTexts(index, texts.takeNew(), parts)
  for (const tag of tagsOf(row)) parts.tags.push({ run: index, tag })
  addModels(index, row, parts)
  const asked = (create.agents ?? []).map((agent) => (typeof agent === 'string' ? agent : agent.id))
  for (const agent of [...agents.map((each) => each.id), ...asked]) {
    if (agent !== undefined) parts.agents.push({ run: index, agent: toKey(agent) })
  }
  const created: CreateRow = {
    run: index,
    id: toKey(id),
    format: row.format,
    status,
    mode,
    thread: threadId === undefined ? null : toKey(threadId),
    created_at: createdAt,
    space: row.space === undefined ? null : toKey(row.space),
    tenant: toKey(tenantOf(row)),
    rank: rankOf(row),
    start_by: startBy ?? null,
    has_ended: isTerminal(status),
    verdict: figuresOf(row).verdict ?? null,
    epoch: holder === undefined ? 0 : 1,
    owner: holder === undefined ? null : toKey(holder.owner),
    owner_lock: holder === undefined ? null : lock,
    ttl: holder?.ttlMs ?? null,
    tokens,
    cost,
    duration,
    mark,
    version,
    last_seq: record.events,
    log_end: logEnd,
    texts: texts.count,
    crc: crc32('{}'),
    words: toRunWords(row),
    request: body,
    request_crc: crc32(body),
    scope: idempotency === undefined ? null : toKey(idempotency.scope),
    key: idempotency === undefined ? null : toKey(idempotency.key),
    body_hash: idempotency?.bodyHash ?? null,
    expires_at: idempotency?.expiresAt ?? null,
  }
  return { row: created, texts: texts.known }
}
