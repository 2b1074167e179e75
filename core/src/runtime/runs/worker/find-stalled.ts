import type { RunQuery } from '../../../contracts/store/store.ts'
import type { Warning } from '../../../contracts/warning.ts'
import type { Environment } from '../../environment.ts'

/** A worker that is there takes up what waits in a moment. */
const PATIENCE_MS = 30_000
/** So many runs are looked at: where all of them are left, so are the others. */
const MOST_RUNS = 100

/**
 * Whether runs wait while no process works on any, where this one does not either.
 *
 * @returns nothing where that cannot be said, as with a store that gives no answer
 */
export async function findStalled(env: Environment): Promise<Warning[]> {
  if (env.claims !== 'none') return []
  return look(env).catch(() => [])
}

async function look({ store: { runs }, clock, space }: Environment): Promise<Warning[]> {
  const count = async (query: RunQuery): Promise<number> => (await runs.list({ ...query, ...here })).data.length
  const here: RunQuery = { order: 'asc', limit: MOST_RUNS, ...(space !== undefined && { space }) }
  const createdBefore = new Date(clock() - PATIENCE_MS).toISOString()
  const { data } = await runs.list({ ...here, status: 'queued', createdBefore, limit: 1 })
  const [oldest] = data
  if (oldest === undefined) return []
  for (const status of ['running', 'waiting'] as const) {
    const [all, left] = await Promise.all([count({ status }), count({ status, left: true })])
    if (all > left) return []
  }
  const seconds = Math.round((clock() - Date.parse(oldest.createdAt)) / 1_000)
  const message = `runs wait, run ${oldest.id} for ${seconds} s, and no process works on runs: this server was started with --no-work, so start svc worker`
  return [{ code: 'no_worker', message }]
}
