import {
  MemoryChange,
  type MemoryHit,
  MemoryQuery,
  type MemoryRecord,
  type MemoryResult,
  type MemoryScope,
} from '../../contracts/memory/memory.ts'
import { isSaidByPerson } from '../../contracts/memory/memory-record.ts'
import type { ListQuery, Page } from '../../contracts/page.ts'
import type { Ports, RunContext } from '../../contracts/run/run-context.ts'
import { taints } from '../../contracts/tool/taints.ts'
import type { Layer } from '../../contracts/words.ts'
import { ValidationError } from '../../errors.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { parse } from '../../validate.ts'
import { Consolidation, type ConsolidationReport } from './consolidation/consolidation.ts'
import { sayingTheSame } from './consolidation/derived.ts'
import type { ExtractFacts } from './consolidation/extract-facts.ts'
import type { MemoryBackend } from './memory-backend.ts'
import { changedRecord } from './records/changed-record.ts'
import { createMemoryIds } from './records/memory-ids.ts'
import { MemoryInput } from './records/memory-input.ts'
import { newRecord } from './records/new-record.ts'
import { filterOf, groupOf, inScope } from './records/record-scope.ts'
import { RecordStore } from './records/record-store.ts'
import { copyRecord, isRunSummary, sessionOf, sourceTag, spaceOf } from './records/record-time.ts'
import { byWorkingValue } from './records/working-value.ts'
import { ContextIndex } from './search/context-index.ts'
import { DenseSearch, type Embed } from './search/dense-search.ts'
import { findRecords, type Rerank } from './search/find-records.ts'
import type { IndexFilter } from './search/indexed-text.ts'
import { packHits } from './search/pack-hits.ts'
import type { RankingConstants } from './search/ranking.ts'
import { isRepeated } from './search/same-record.ts'

/** How much each layer may hold: tokens a session in `working`, records in the others. */
export type MemoryLimits = Record<Layer, number>

export interface ThreeLayerMemoryOptions {
  /** Default 8192 tokens a session, 100 000 episodes, 20 000 long-term records. */
  limits?: Partial<MemoryLimits>
  /** Where records outlive the process; default nowhere. */
  backend?: MemoryBackend
  /** Milliseconds since the epoch; default the system's clock. */
  clock?: () => number
  /** Makes unique ids; default `mem_` and a ULID. */
  newId?: () => string
  /** Constants of the ranking that depart from the defaults. */
  ranking?: Partial<RankingConstants>
  /** Makes vectors of texts: what is near in meaning is then found too. A failure leaves the words alone. Default none. */
  embed?: Embed
  /** Reads facts out of episodes at consolidation; facts that their sources do not support are dropped. Default none. */
  extract?: ExtractFacts
  /** Puts the first twenty hits in order. A failure leaves the order as it is. Default none. */
  rerank?: Rerank
}

/** What is given up last where there is too much: what people said outside of runs, then what others did, then runs. */
const standingOf = (record: MemoryRecord): number =>
  isRunSummary(record) ? 0 : record.trust === 'untrusted' ? 1 : record.source.runId === undefined ? 3 : 2

type Time = Partial<Pick<Ports, 'now' | 'newId'>>

/** Summaries of runs that each space keeps, the newest. */
const MOST_SUMMARIES = 1000
const SUMMARIES_AT_ONCE = 50

const LIMITS: MemoryLimits = { working: 8192, episodic: 100_000, 'long-term': 20_000 }

/**
 * Remembers in three layers and finds again by words and their context, without a model.
 *
 * Working memory is bounded in tokens for each session; what it gives up becomes an episode under the same id. Episodes
 * are kept word for word. Long-term records are facts: a newer fact ends the validity of the one it contradicts, and
 * "as of" queries still find the older one. A query sees the records of its scope and nothing of the others; the empty
 * `threadId` means what belongs to no thread.
 */
export class ThreeLayerMemory {
  readonly #limits: MemoryLimits
  readonly #clock: () => number
  readonly #newId: (timeMs: number) => string
  readonly #index: ContextIndex
  readonly #store: RecordStore
  readonly #dense: DenseSearch | undefined
  readonly #rerank: Rerank | undefined
  readonly #consolidation: Consolidation
  readonly #backend: MemoryBackend | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ThreeLayerMemoryOptions = {}) {
    this.#limits = { ...LIMITS, ...options.limits }
    this.#clock = options.clock ?? Date.now
    this.#newId = options.newId ?? createMemoryIds()
    this.#index = new ContextIndex(options.ranking)
    this.#dense = options.embed === undefined ? undefined : new DenseSearch(options.embed)
    this.#rerank = options.rerank
    this.#backend = options.backend
    this.#store = new RecordStore(this.#index, this.#dense, options.backend)
    this.#consolidation = new Consolidation(this.#store, options.extract)
    for (const [layer, limit] of Object.entries(this.#limits)) {
      if (Number.isInteger(limit) && limit > 0) continue
      const message = `limits.${layer} is ${limit}; it must be a whole number above 0`
      throw new ValidationError('validation_failed', message, { errors: [{ path: `/limits/${layer}`, message }] })
    }
  }

  /** Episodes that were written or found since the last consolidation. */
  get unconsolidated(): number {
    return this.#store.fresh.size
  }

  /**
   * Remembers something. Only what a person said can be trusted. Under an id that is already held with the same content
   * nothing is written; a summary of a run that says what an earlier one says is counted there.
   *
   * @param ports with `records`, what is new may leave with the run's next commit, which nobody waits for
   * @throws ValidationError `validation_failed`
   */
  async write(written: MemoryInput, ports?: Time & Partial<Pick<RunContext, 'records'>>): Promise<MemoryRecord> {
    const input = parse(MemoryInput, written, 'memory')
    return this.#turn((now) => this.#write(input, now, ports, ports?.records), ports)
  }

  async #write(
    input: MemoryInput,
    now: number,
    ports: Time | undefined,
    leaving: RunContext['records'] | undefined,
  ): Promise<MemoryRecord> {
    const record = newRecord(input, this.#createId(input.content, now, ports), now)
    const known = this.#store.get(record.id) ?? this.#repeated(record)
    if (known !== undefined) {
      if (known.id !== record.id) await this.#store.countOne(known, now)
      return copyRecord(known)
    }
    await this.#store.keep(record, leaving)
    if (record.layer === 'long-term') await this.#store.supersede(record)
    await this.#holdToLimit(record, now)
    if (isRunSummary(record)) await this.#holdSummaries(spaceOf(record))
    return copyRecord(record)
  }

  /**
   * What is known that fits the query, best first; with a `tokenBudget` as much as fits into it, with the records before
   * and after where there is room, without repetitions, in order of time. `parts.coverage` of a hit is the share of the
   * query's information that it holds by itself.
   *
   * @param how `rerank`: in what other way than the memory's own the first twenty are put in order; `minCoverage`: hits of less
   *   `parts.coverage` are left out, and where there is no other, no text is ranked
   * @throws ValidationError `validation_failed`
   */
  async query(
    input: MemoryQuery,
    ports?: Time,
    how: { rerank?: Rerank; minCoverage?: number } = {},
  ): Promise<MemoryResult> {
    const query = parse(MemoryQuery, input, 'query')
    return this.#turn((now) => this.#query(query, now, how.rerank ?? this.#rerank, how.minCoverage), ports)
  }

  async #query(
    query: MemoryQuery,
    now: number,
    rerank: Rerank | undefined,
    minCoverage: number | undefined,
  ): Promise<MemoryResult> {
    const filter = filterOf(query)
    const { hits, low } = await findRecords(
      query,
      {
        index: this.#index,
        dense: this.#dense,
        rerank,
        record: (id) => this.#store.get(id),
      },
      now,
      filter,
      minCoverage,
    )
    const data =
      query.tokenBudget === undefined
        ? hits
        : packHits(hits, query.tokenBudget, query.limit ?? 10, (hit) => this.#neighbours(hit, now, filter))
    await this.#store.count(data, now)
    return { data, low, tokens: data.reduce((sum, { id }) => sum + this.#store.tokensOf(id), 0) }
  }

  /** The records, newest first unless asked otherwise. @throws ValidationError `invalid_cursor`, `validation_failed` */
  list(query: ListQuery & { layer?: Layer; scope?: MemoryScope } = {}): Promise<Page<MemoryRecord>> {
    return this.#turn(async () => this.#list(query))
  }

  #list(query: ListQuery & { layer?: Layer; scope?: MemoryScope }): Page<MemoryRecord> {
    const { limit = 20, after, order = 'desc', layer, scope } = query
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
      throw new ValidationError('validation_failed', `limit is ${limit}; it must be a whole number from 1 to 100`)
    }
    const records: MemoryRecord[] = []
    for (const { record } of this.#store.held.values()) {
      if ((layer === undefined || record.layer === layer) && inScope(groupOf(record), scope)) records.push(record)
    }
    if (order === 'desc') records.reverse()
    const start = after === undefined ? 0 : records.findIndex((record) => record.id === after) + 1
    if (after !== undefined && start === 0) {
      throw new ValidationError('invalid_cursor', 'after names no record of this list; leave it out to begin again')
    }
    const data = records.slice(start, start + limit).map(copyRecord)
    const hasMore = start + limit < records.length
    const last = data.at(-1)
    return { data, hasMore, ...(hasMore && last !== undefined ? { nextCursor: last.id } : {}) }
  }

  /** How many records each layer holds. */
  counts(): Promise<Record<Layer, number>> {
    return this.#turn(async () => ({ ...this.#store.counts }))
  }

  get(id: string): Promise<MemoryRecord | undefined> {
    return this.#turn(async () => {
      const record = this.#store.get(id)
      return record === undefined ? undefined : copyRecord(record)
    })
  }

  /**
   * Deletes a record for good, here and in the backend, and with it what would still say the same: the records that it was
   * made of or into, and the summaries of runs that were shown it or quote it.
   *
   * @returns whether there was one
   */
  forget(id: string): Promise<boolean> {
    return this.#turn(async () => {
      const record = this.#store.get(id)
      if (record === undefined) return false
      const all = [...this.#store.held.values()].map((held) => held.record)
      return this.#store.drop(...sayingTheSame(record, all).map((one) => one.id))
    })
  }

  /**
   * Changes a record at a person's word. With a new text it is the person's own from then on: trusted, of no run; and what was
   * made of the old text is deleted. What it was made of, and what runs noted that were shown it, stays.
   *
   * @returns undefined where there is none
   * @throws ValidationError `validation_failed`
   */
  update(id: string, changed: MemoryChange): Promise<MemoryRecord | undefined> {
    return this.#turn(async (now) => {
      const change = parse(MemoryChange, changed, 'memory')
      const before = this.#store.get(id)
      if (before === undefined) return undefined
      const record = changedRecord(before, change)
      if (change.content === undefined) await this.#store.replace(record)
      else await this.#takeOver(before, record, now)
      return copyRecord(record)
    })
  }

  async #takeOver(before: MemoryRecord, record: MemoryRecord, now: number): Promise<void> {
    const { id } = record
    if (isSaidByPerson(before)) await this.#store.keep(record)
    else await this.#store.move(record)
    const made = [...this.#store.held.values()].filter((held) => held.record.tags.includes(sourceTag(id)))
    await this.#store.drop(...made.map((held) => held.record.id))
    if (record.layer === 'long-term') await this.#store.supersede(record)
    await this.#holdToLimit(record, now)
  }

  /**
   * Turns episodes since the last time into long-term records, joins what says the same, ends the validity of what a
   * newer fact contradicts, and archives what has faded. Calls no model but for the facts of `extract`.
   */
  consolidate(ports?: Time): Promise<ConsolidationReport> {
    return this.#turn(async (now) => {
      const report = await this.#consolidation.run(now, (content) => this.#createId(content, now, ports))
      const newest = this.#store.get(report.promoted.at(-1) ?? '')
      if (newest !== undefined) await this.#holdToLimit(newest, now)
      return report
    }, ports)
  }

  /** All records as JSON Lines in UTF-8, oldest first. */
  snapshot(): Promise<Uint8Array> {
    return this.#turn(async () => {
      const lines = [...this.#store.held.values()].map(({ record }) => `${JSON.stringify(record)}\n`)
      return new TextEncoder().encode(lines.join(''))
    })
  }

  /** Writes what was put off: how often records were found. To be called before the backend's store is closed. */
  async flush(): Promise<void> {
    await this.#last
    await this.#backend?.flush?.()
  }

  /** Whether who writes is to wait until it is kept. */
  get isAwaited(): boolean {
    return this.#backend?.isAwaited === true
  }

  /**
   * A call on the records as they stand now. With a backend, one call after the other: none works on records that are being
   * read again.
   */
  #turn<T>(work: (now: number) => Promise<T>, ports?: Time): Promise<T> {
    const call = async (): Promise<T> => {
      await this.#store.load()
      const now = ports?.now?.() ?? this.#clock()
      await this.#store.dropExpired(now)
      return work(now)
    }
    if (this.#backend === undefined) return call()
    const turn = this.#last.then(call)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** A run's ids come from its seed: another run of the same seed may have had this one. */
  #createId(content: string, now: number, ports?: Time): string {
    const id = ports?.newId?.('mem') ?? this.#newId(now)
    const known = this.#store.get(id)
    return known !== undefined && known.content !== content ? this.#newId(now) : id
  }

  /** The summary of an earlier run that says the same: it is counted instead of being kept again. */
  #repeated(record: MemoryRecord): MemoryRecord | undefined {
    if (!isRunSummary(record)) return undefined
    return this.#store
      .alike(record)
      .find(
        (other) =>
          isRunSummary(other) &&
          other.trust === record.trust &&
          taints(other) === taints(record) &&
          isRepeated(other, record),
      )
  }

  /** Gives up the oldest summaries of a space, a few at once, so that not every write pays for it. */
  async #holdSummaries(space: string): Promise<void> {
    const summaries = this.#store.summariesOf(space)
    if (summaries.size <= MOST_SUMMARIES) return
    await this.#store.drop(...[...summaries].slice(0, summaries.size - MOST_SUMMARIES + SUMMARIES_AT_ONCE))
  }

  async #holdToLimit(record: MemoryRecord, now: number): Promise<void> {
    const limit = this.#limits[record.layer]
    if (record.layer === 'working') return this.#holdWorking(record, limit, now)
    if (this.#store.counts[record.layer] <= limit) return
    // A little more than needed is given up at once, so that a full layer is not sorted at every write.
    const surplus = this.#store.counts[record.layer] - limit + Math.floor(limit * 0.05)
    const worth = (one: MemoryRecord) =>
      one.importance + 2 ** (-Math.max(0, now - Date.parse(one.lastAccessedAt)) / (30 * 86_400_000))
    const doomed = this.#store
      .recordsOf(record.layer)
      .filter(({ id }) => id !== record.id)
      .map((one) => ({ id: one.id, standing: standingOf(one), worth: worth(one) }))
      .sort((a, b) => a.standing - b.standing || a.worth - b.worth)
      .slice(0, surplus)
    await this.#store.drop(...doomed.map(({ id }) => id))
  }

  /** Gives up what is worth least of a full working memory: it becomes an episode, found by queries under the same id. */
  async #holdWorking(newest: MemoryRecord, limit: number, now: number): Promise<void> {
    const session = sessionOf(newest)
    const records = this.#store.recordsOf('working').filter((record) => sessionOf(record) === session)
    let tokens = records.reduce((sum, record) => sum + estimateTokens(record.content), 0)
    for (const record of byWorkingValue(records, newest.content)) {
      if (tokens <= limit) return
      tokens -= estimateTokens(record.content)
      const episode: MemoryRecord = { ...record, layer: 'episodic' }
      await this.#store.keep(episode)
      await this.#holdToLimit(episode, now)
    }
  }

  #neighbours(hit: MemoryHit, now: number, filter: IndexFilter): MemoryHit[] {
    const score = hit.score * (this.#index.constants.neighbours[0] ?? 0)
    const found: MemoryHit[] = []
    for (const id of this.#index.around(hit.id, 1, { now, filter })) {
      const record = this.#store.get(id)
      if (record !== undefined) found.push({ ...copyRecord(record), score, parts: { neighbour: score } })
    }
    return found
  }
}
