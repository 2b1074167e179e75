import { checkLimit, type RunFilters, type RunQuery } from '@svc/core'
import { toSearchText } from '@svc/core/text'
import { toKey } from '../../keys.ts'
import { type Conditions as Asked, conditionsOf } from '../../queries/run-filters.ts'
import { type Found, listPage } from '../../tables/pages.ts'
import type { Database } from '../database.ts'
import type { Leases } from '../leases.ts'
import type { Row } from '../load-pg.ts'
import { SELECT_RUNS } from './run-reader.ts'

/** Runs whose words are read one by one, before the index of words is asked: what many say is found among the newest. */
const NEWEST = 1_000
/** Shorter texts are in too many words for the index. */
const GRAM = 3

type Conditions = Asked<unknown>

/** Finds the runs that fit a query. */
export class RunList {
  readonly #db: Database
  readonly #leases: Leases

  constructor(db: Database, leases: Leases) {
    this.#db = db
    this.#leases = leases
  }

  /** What filters ask of `runs AS r`. */
  conditionsOf({ q, ...filters }: RunFilters): Conditions {
    return withWords(conditionsOf(filters, this.#leases, { ...COLUMNS, isOf: '(r.space = ? OR r.space IS NULL)' }), q)
  }

  /** @throws ValidationError `validation_failed`, `invalid_cursor` */
  async page({ space, ...query }: RunQuery): Promise<Found> {
    // Those of a space and those of none are each found in order by an index.
    const parts = space === undefined ? [ALL] : [partOf('space = ?', toKey(space)), partOf('space IS NULL')]
    const pages = await Promise.all(parts.map((part) => this.#part(part, query)))
    const sign = query.order === 'asc' ? 1 : -1
    const rows = pages.flatMap((page) => page.rows).sort((one, other) => sign * (Number(one.seq) - Number(other.seq)))
    const most = checkLimit(query.limit === undefined ? {} : { limit: query.limit })
    return { rows: rows.slice(0, most), hasMore: rows.length > most || pages.some(({ hasMore }) => hasMore) }
  }

  async #part(part: Part, { q, ...query }: RunQuery): Promise<Found> {
    const asked = conditionsOf(query, this.#leases, COLUMNS)
    const own = { conditions: [...asked.conditions, `r.${part.condition}`], values: [...asked.values, ...part.values] }
    const ask = (statement: string, bound: readonly unknown[]): Promise<Row[]> => this.#db.ask(statement, bound)
    const list = (all: Conditions): Promise<Found> =>
      listPage<unknown>(ask, { select: SELECT_RUNS, table: 'runs', ...all }, query)
    if (q !== undefined && isLong(q) && query.order !== 'asc') {
      const oldest = `SELECT s.seq FROM runs AS s WHERE s.${part.condition} ORDER BY s.seq DESC OFFSET ${NEWEST} LIMIT 1`
      const newest = await list({
        conditions: [...own.conditions, `r.seq > coalesce((${oldest}), 0)`, SAYS],
        values: [...own.values, ...part.values, toSearchText(q)],
      })
      if (newest.hasMore) return newest
    }
    return list(withWords(own, q))
  }
}

const COLUMNS = { isOf: '', createdAt: 'r.created_at' }

/** A condition on the table of runs by which some of them are found in order. */
interface Part {
  condition: string
  values: string[]
}

const partOf = (condition: string, ...values: string[]): Part => ({ condition, values })

const ALL = partOf('seq > 0')

const SAYS = '(SELECT strpos(words, ?) FROM run_requests WHERE run = r.seq) > 0'

const isLong = (q: string): boolean => [...toSearchText(q)].length >= GRAM

function withWords({ conditions, values }: Conditions, q: string | undefined): Conditions {
  if (q === undefined) return { conditions, values }
  const words = toSearchText(q)
  if (!isLong(q)) return { conditions: [...conditions, SAYS], values: [...values, words] }
  // The index finds who has all of its parts of three letters.
  const found = 'SELECT run FROM run_requests WHERE grams(words) @> grams(?) AND strpos(words, ?) > 0'
  return { conditions: [...conditions, `r.seq = ANY(ARRAY(${found}))`], values: [...values, words, words] }
}
