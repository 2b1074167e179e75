import { setImmediate } from 'node:timers/promises'
import { type CostFigure, checkLimit, type RunFilters, type RunQuery, type StoredCostQuery, sumCosts } from '@svc/core'
import { toSearchText } from '@svc/core/text'
import { SHARED } from '../keys.ts'
import { costSql, toCostFigure } from '../queries/cost-sql.ts'
import { type Conditions as Asked, conditionsOf } from '../queries/run-filters.ts'
import { whereOf } from '../queries/summary-sql.ts'
import { afterCursor, type Found, listPage } from '../tables/pages.ts'
import type { SqlValue } from './file/load-libsql.ts'
import type { Sqlite } from './file/sqlite.ts'
import type { Leases } from './leases.ts'
import { SELECT_RUNS } from './run-rows.ts'
import type { WordIndex } from './word-index.ts'

/** Rows that are read in order, before an index is asked that has another order: what many have is found among them. */
const READ_FIRST = 1_000
/** As many, of which the words are read too. */
const READ_WORDS_FIRST = 100

/** Runs whose costs are added up without a pause: in a hundredth of a second or two. */
const COSTS_AT_ONCE = 4_000
/** As a limit in SQL. */
const EVERY = -1

/** As bytes: see `bytesOf`. */
const COST_NAMES = {
  folder: `CAST(iif(r.space = '${SHARED}', '', r.space) AS BLOB)`,
  model: 'CAST(u.model AS BLOB)',
}

/** The first day of the period in which a run `r` was asked for, with `?` for the minutes ahead of UTC. */
const PERIODS = {
  day: 'date(r.created_at, ?)',
  week: "date(r.created_at, ?, 'weekday 0', '-6 days')",
  month: "date(r.created_at, ?, 'start of month')",
} as const

type Conditions = Asked<SqlValue>

/** Finds the runs that fit a query, and adds up what they took. */
export class RunList {
  readonly #db: Sqlite
  readonly #leases: Leases
  readonly #words: WordIndex

  constructor(db: Sqlite, leases: Leases, words: WordIndex) {
    this.#db = db
    this.#leases = leases
    this.#words = words
  }

  /**
   * Finds by what filters ask of `runs AS r`, so that indexes find it.
   *
   * @param find asked again with other conditions for the same runs, where the index of words cannot be read
   */
  async find<T>(filters: RunFilters, find: (conditions: Conditions) => T): Promise<Awaited<T>> {
    const asked = all(this.#check(filters), madeWithin(filters), unfinished(filters))
    const { q = '' } = filters
    if (q === '') return await find(asked)
    return this.#words.search(toSearchText(q), (said) => find(all(asked, said)))
  }

  /** @throws ValidationError `validation_failed`, `invalid_cursor` */
  async page({ limit, after, order = 'desc', ...filters }: RunQuery): Promise<Found> {
    const db = this.#db
    const start = await afterCursor<SqlValue>(db.read, 'runs', { order, ...(after !== undefined && { after }) })
    const list = (...parts: Conditions[]): Promise<Found> =>
      listPage<SqlValue>(
        db.read,
        { select: SELECT_RUNS, table: 'runs', ...all(...parts, start) },
        { order, ...(limit !== undefined && { limit }) },
      )
    for (const [easier, rest] of partsOf(filters)) {
      const most = rest.q === undefined ? READ_FIRST : READ_WORDS_FIRST
      const first = await this.find(easier, (asked) => {
        const { conditions, values } = all(asked, start)
        const seqs = `SELECT r.seq FROM runs AS r ${whereOf(conditions)} ORDER BY r.seq ${order} LIMIT ${most}`
        return db.get(`SELECT json_group_array(seq) AS seqs, count(*) AS found FROM (${seqs})`, values)
      })
      const page = await list(
        one('r.seq IN (SELECT value FROM json_each(?))', String(first?.seqs)),
        this.#check(rest, true),
      )
      if (Number(first?.found) < most || page.hasMore) return page
    }
    const { q = '' } = filters
    if (q === '') return this.find(filters, list)
    const [place] = start.values
    return this.#words.searchInOrder(
      toSearchText(q),
      { order, after: place === undefined ? undefined : Number(place) },
      async (some) => {
        const most = checkLimit(limit === undefined ? {} : { limit })
        const rows: Found['rows'] = []
        for await (const part of some) {
          const page = await list(part, this.#check(filters, true))
          rows.push(...page.rows)
          if (page.hasMore || rows.length > most) return { rows: rows.slice(0, most), hasMore: true }
        }
        return { rows, hasMore: false }
      },
    )
  }

  costs({ per, by, utcOffsetMinutes, limit, ...filters }: StoredCostQuery): Promise<CostFigure[]> {
    return this.find(filters, (asked) => sumCosts(this.#costsOf({ per, by, utcOffsetMinutes }, asked), limit))
  }

  /** What runs took, some thousand at once: it takes long of many, and others are served meanwhile. */
  async *#costsOf(
    { per, by, utcOffsetMinutes }: Pick<StoredCostQuery, 'per' | 'by' | 'utcOffsetMinutes'>,
    { conditions, values }: Conditions,
  ): AsyncGenerator<CostFigure> {
    const reach = `SELECT min(r.seq) AS first, max(r.seq) AS last FROM runs AS r ${whereOf(conditions)}`
    const { first, last } = this.#db.get(reach, values) ?? {}
    const sql = costSql({ by }, { ...COST_NAMES, period: PERIODS[per] }, ['r.seq BETWEEN ? AND ?', ...conditions])
    for (let from = Number(first ?? 1); from <= Number(last ?? 0); from += COSTS_AT_ONCE) {
      const rows = this.#db.all(sql, [`${utcOffsetMinutes} minutes`, from, from + COSTS_AT_ONCE - 1, ...values, EVERY])
      yield* rows.map(toCostFigure)
      await setImmediate()
    }
  }

  /** What is true of each run that fits; times and words are read of each, of few all. */
  #check({ q, ...filters }: RunFilters, areFew = false): Conditions {
    // The sign keeps the index of times out: it has another order.
    const columns = { isOf: this.#leases.isOf(), createdAt: '+r.created_at', areFew }
    return all(
      conditionsOf<SqlValue>(filters, this.#leases, columns),
      q === undefined ? NONE : one('(SELECT instr(words, ?) FROM run_requests WHERE run = r.seq) > 0', toSearchText(q)),
    )
  }
}

const NONE: Conditions = { conditions: [], values: [] }

const one = (condition: string, ...values: SqlValue[]): Conditions => ({ conditions: [condition], values })

const all = (...parts: Conditions[]): Conditions => ({
  conditions: parts.flatMap(({ conditions }) => conditions),
  values: parts.flatMap(({ values }) => values),
})

/** Filters with which rows are found in order, each with those that are asked of what was found. */
function partsOf({ q, ...unsaid }: RunFilters): [easier: RunFilters, rest: RunFilters][] {
  const { createdAfter, createdBefore, left, ...others } = unsaid
  const said = q === undefined ? {} : { q }
  const hard = {
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
    ...(left !== undefined && { left }),
  }
  const parts: [RunFilters, RunFilters][] = [
    [others, { ...hard, ...said }],
    [unsaid, said],
  ]
  return parts.filter(([, rest], index) => isAsked(rest) && (index === 0 || isAsked(hard)))
}

const isAsked = (filters: RunFilters): boolean => Object.keys(filters).length > 0

/** Late ones have an index of their own. */
const unfinished = ({ left, late }: RunFilters): Conditions =>
  left === true && late !== true ? one('r.seq IN (SELECT seq FROM runs WHERE ended_at IS NULL)') : NONE

/** Between which rows those of some time are: a run need not be made after the one before it. */
function madeWithin({ createdAfter, createdBefore }: RunFilters): Conditions {
  const time = all(
    createdAfter === undefined ? NONE : one('created_at >= ?', createdAfter),
    createdBefore === undefined ? NONE : one('created_at < ?', createdBefore),
  )
  // The sign has SQLite read the index of times.
  const bound = (sign: string, seq: string): Conditions =>
    one(`r.seq ${sign} (SELECT ${seq}(+seq) FROM runs ${whereOf(time.conditions)})`, ...time.values)
  return all(
    createdAfter === undefined ? NONE : bound('>=', 'min'),
    createdBefore === undefined ? NONE : bound('<=', 'max'),
  )
}
