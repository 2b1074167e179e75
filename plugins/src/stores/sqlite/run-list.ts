import { type RunFilters, type RunQuery, toSearchText } from '@svc/core'
import { conditionsOf } from '../run-filters.ts'
import { whereOf } from '../summary-sql.ts'
import { afterCursor, listPage } from '../tables/pages.ts'
import type { SqlValue } from './file/load-libsql.ts'
import type { Row, Sqlite } from './file/sqlite.ts'
import type { Leases } from './leases.ts'
import { SELECT_RUNS } from './run-rows.ts'
import { mayBeSaidIn } from './word-index.ts'

/** Rows that are read in order, before an index is asked that has another order: what many have is found among them. */
const READ_FIRST = 1_000

interface Conditions {
  conditions: string[]
  values: SqlValue[]
}

interface Found {
  rows: Row[]
  hasMore: boolean
}

/** Finds the runs that fit a query. */
export class RunList {
  readonly #db: Sqlite
  readonly #leases: Leases

  constructor(db: Sqlite, leases: Leases) {
    this.#db = db
    this.#leases = leases
  }

  /** What filters ask of `runs AS r`, so that indexes find it. */
  conditionsOf(filters: RunFilters): Conditions {
    return all(this.#check(filters), madeWithin(filters), mayBeSaid(filters))
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
    for (const easier of easierThan(filters)) {
      const { conditions, values } = all(this.conditionsOf(easier), start)
      const [end] = db.all(
        `SELECT r.seq FROM runs AS r ${whereOf(conditions)} ORDER BY r.seq ${order} LIMIT 1 OFFSET ${READ_FIRST}`,
        values,
      )
      const before = end === undefined ? NONE : one(`r.seq ${order === 'desc' ? '>' : '<'} ?`, Number(end.seq))
      const page = await list(this.#check(filters), madeWithin(easier), before)
      if (end === undefined || page.hasMore) return page
    }
    return list(this.conditionsOf(filters))
  }

  /** What is true of each run that fits; times and words are read of each. */
  #check({ q, ...filters }: RunFilters): Conditions {
    // The sign keeps the index of times out: it has another order.
    const columns = { isOf: this.#leases.isOf(), createdAt: '+r.created_at' }
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

/** Filters with which rows are found in order, but for those that nothing else is asked of. */
function easierThan({ q, ...timed }: RunFilters): RunFilters[] {
  const { createdAfter, createdBefore, ...others } = timed
  const hasTimes = createdAfter !== undefined || createdBefore !== undefined
  return [...(hasTimes || q !== undefined ? [others] : []), ...(hasTimes && q !== undefined ? [timed] : [])]
}

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

function mayBeSaid({ q = '' }: RunFilters): Conditions {
  if (q === '') return NONE
  const { list, values } = mayBeSaidIn(toSearchText(q))
  return one(`r.seq IN (${list})`, ...values)
}
