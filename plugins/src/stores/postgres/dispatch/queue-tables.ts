import { SvcError } from '@svc/core'
import { type Database, SILENCE_MS } from '../database.ts'
import { loadDbos } from './load-dbos.ts'

/** Where the tables of DBOS are. */
export const SCHEMA = 'svc_dbos'
/** A number that nobody else uses. */
const LOCK = 7_364_004

/**
 * Makes the tables of the queue, or brings them to the version of DBOS that is installed. Of several processes that start at once,
 * one does it.
 *
 * @param mayChange false: older ones and missing ones are refused
 * @throws SvcError `store_unavailable`
 */
export function prepareQueue(db: Database, mayChange = true): Promise<void> {
  return db.patiently(async () => {
    const dbos = await loadDbos()
    const pool = db.newPool(1)
    try {
      const client = await pool.connect()
      try {
        if (await dbos.hasTables(client, SCHEMA)) return
        if (!mayChange) throw outdated(db)
        await alone(db, async () => {
          // Where it was made for us, we may lack the right to make one.
          const { rows } = await client.query(`SELECT FROM pg_namespace WHERE nspname = '${SCHEMA}'`)
          if (rows.length === 0) await client.query(`CREATE SCHEMA ${SCHEMA}`)
          await dbos.makeTables(client, SCHEMA)
        })
      } finally {
        client.release(true)
      }
    } finally {
      await pool.end()
    }
  })
}

/**
 * Keeps two processes from making the tables of DBOS at once: its statements block each other. Nobody waits inside a
 * statement, since an index that is being made waits for all of those.
 */
async function alone(db: Database, work: () => Promise<void>): Promise<void> {
  const client = db.newClient()
  client.on('error', () => {})
  await client.connect()
  let awake: NodeJS.Timeout | undefined
  const stayAwake = (): void => {
    awake = setTimeout(() => client.query('SELECT 1').then(stayAwake, () => {}), SILENCE_MS / 5).unref()
  }
  try {
    // A process that is stopped here keeps the others waiting no longer.
    await client.query(`SET idle_session_timeout = ${SILENCE_MS}`)
    for (;;) {
      const { rows } = await client.query(`SELECT pg_try_advisory_lock(${LOCK}) AS is_mine`)
      if (rows[0]?.is_mine === true) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    stayAwake()
    await work()
  } finally {
    clearTimeout(awake)
    await client.end().catch(() => {})
  }
}

const outdated = ({ place }: Database): SvcError =>
  new SvcError(
    'store_unavailable',
    `${place.database} at ${place.host} lacks tables of the queue: run svc migrate, as store.migrate is false here`,
    { retryable: false },
  )
