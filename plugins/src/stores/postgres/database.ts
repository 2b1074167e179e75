import { Socket } from 'node:net'
import { SvcError } from '@svc/core'
import { type DatabaseAddress, isPassing, placeOf, toStoreError } from './errors.ts'
import { loadPg, type PgClient, type PgDriver, type PgPool, type PgQuery, type Row } from './load-pg.ts'

/** How long a statement is asked again while the database cannot be reached: a restart takes a few seconds. */
const PATIENCE_MS = 20_000
/** A statement without an answer for so long is asked again over another connection. */
const ANSWER_MS = 10_000
const CONNECT_MS = 5_000
/** The database ends a session that says nothing for so long while it holds what others wait for: its process hangs or is gone. */
export const SILENCE_MS = 5_000
const IN_TRANSACTION = `SET idle_in_transaction_session_timeout = ${SILENCE_MS}`
const CONNECTIONS = 6
const INT8 = 20

/**
 * Settings of every connection. Rows are found by index only: a plan that was made for empty tables would read all of
 * them once they are full. With `enable_seqscan` off plans look expensive, and `jit` would compile each.
 */
const SESSION = `SET search_path = svc, pg_catalog; SET enable_seqscan = off; SET enable_hashjoin = off;
  SET enable_mergejoin = off; SET jit = off; SET statement_timeout = ${ANSWER_MS}; ${IN_TRANSACTION}`

export interface DatabaseOptions {
  /** `postgres://user:password@host:5432/database`. */
  url: string
  /** False: a crash of the database's machine may lose what was committed last. */
  isDurable: boolean
}

/** Connections to one database. Statements are asked again when a connection is lost, so each may run twice. */
export class Database {
  readonly place: DatabaseAddress
  /** A statement found no room on the disk, and nobody has seen since that there is some. */
  wasFull = false
  readonly #settings: DatabaseOptions
  #driver: PgDriver | undefined
  #pool: PgPool | undefined

  constructor(settings: DatabaseOptions) {
    this.#settings = settings
    this.place = placeOf(settings.url)
  }

  /** @throws SvcError `store_unavailable` */
  async open(): Promise<void> {
    this.#driver = await loadPg()
    this.#pool = outliving(new this.#driver.Pool({ ...this.#connection(), max: CONNECTIONS, allowExitOnIdle: true }))
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    await pool?.end()
  }

  /**
   * One statement, which is a transaction of its own.
   *
   * @param isPatient false: a database that cannot be reached is an error at once
   * @returns its rows
   */
  query(query: PgQuery, isPatient = true): Promise<Row[]> {
    return this.patiently(async () => (await this.#open.query(query)).rows, isPatient)
  }

  /**
   * One statement with `?` for its values.
   *
   * @param name under which a connection prepares it once. Default: it does not
   */
  ask(statement: string, values: readonly unknown[], name?: string): Promise<Row[]> {
    let count = 0
    const text = statement.replaceAll('?', () => `$${++count}`)
    return this.query({ text, values: [...values], ...(name !== undefined && { name }) })
  }

  /** Asks again while the database cannot be reached. */
  async patiently<T>(work: () => Promise<T>, isPatient = true): Promise<T> {
    const until = performance.now() + (isPatient ? PATIENCE_MS : 0)
    for (let tries = 0; ; tries++) {
      try {
        return await work()
      } catch (thrown) {
        if (!isPassing(thrown) || performance.now() >= until || this.#pool === undefined) {
          const error = toStoreError(thrown, this.place)
          this.wasFull ||= error.code === 'disk_full'
          throw error
        }
        await pause(Math.min(1_000, 20 * 2 ** tries) * (0.5 + Math.random()))
      }
    }
  }

  /**
   * Several statements in one transaction over one connection.
   *
   * @param isPatient true: all of it again while the database cannot be reached. Default once
   */
  transaction<T>(work: (client: PgClient) => Promise<T>, isPatient = false): Promise<T> {
    return this.patiently(() => transact(this.#open, work), isPatient)
  }

  get url(): string {
    return this.#settings.url
  }

  /**
   * Connections for another library, without our settings, which have to be ended. A crash of the database's machine may lose
   * what was committed over them last.
   */
  newPool(max: number): PgPool {
    if (this.#driver === undefined) throw this.#notOpen()
    const pool = new this.#driver.Pool({
      connectionString: this.#settings.url,
      application_name: 'svc-queue',
      keepAlive: true,
      max,
      // DBOS gives a connection back whatever became of its statement: one that gets no answer has to end by itself.
      stream: endingSilent,
      onConnect: (client: PgClient) => client.query(`SET synchronous_commit = off; ${IN_TRANSACTION}`),
    })
    return outliving(pool)
  }

  /** A connection beside the others, which has to be connected and ended. */
  newClient(): PgClient {
    if (this.#driver === undefined) throw this.#notOpen()
    return new this.#driver.Client(this.#connection())
  }

  #connection(): object {
    const { url, isDurable } = this.#settings
    const { types } = this.#driver ?? {}
    return {
      connectionString: url,
      application_name: 'svc',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS + 1_000,
      onConnect: (client: PgClient) => client.query(isDurable ? SESSION : `${SESSION}; SET synchronous_commit = off`),
      types: {
        // Numbers of rows and milliseconds: far below what a double holds exactly.
        getTypeParser: (type: number, format?: string) => (type === INT8 ? Number : types?.getTypeParser(type, format)),
      },
    }
  }

  get #open(): PgPool {
    if (this.#pool === undefined) throw this.#notOpen()
    return this.#pool
  }

  #notOpen(): SvcError {
    return new SvcError('store_unavailable', `the store at ${this.place.host} is not open: call open() first`)
  }
}

/** Several statements in one transaction over one connection of a pool. */
export async function transact<T>(pool: PgPool, work: (client: PgClient) => Promise<T>): Promise<T> {
  let isBroken = true
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    isBroken = false
    return result
  } finally {
    client.release(isBroken)
  }
}

/** A connection that ends once nothing has passed for longer than a statement may take. */
function endingSilent(): Socket {
  const socket = new Socket()
  const late = (): void => {
    socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
  }
  return socket.setTimeout(ANSWER_MS + 1_000, late)
}

/** A pool whose connections may break, idle or between two statements: the next statement over it fails by itself. */
function outliving(pool: PgPool): PgPool {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
