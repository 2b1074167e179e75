import type { Sqlite } from './file/sqlite.ts'
import { readBoot } from './processes.ts'

const upMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)

/**
 * A clock for leases that nobody can set: milliseconds since the host's start, beside the time of that start as the first
 * process to open the file saw it. All processes of the host agree on it, whatever is done to the system's clock meanwhile.
 *
 * Where the system does not name its start (only Linux does), this is the clock that is given.
 */
export function openLeaseClock(db: Sqlite, clock: () => number): () => number {
  const boot = readBoot()
  if (boot === '') return clock
  const find = (): unknown => db.get('SELECT started_at FROM host_boots WHERE boot = ?', [boot])?.started_at
  if (find() === undefined) {
    db.run('INSERT INTO host_boots (boot, started_at) VALUES (?, ?) ON CONFLICT DO NOTHING', [boot, clock() - upMs()])
  }
  const startedAt = Number(find())
  return () => startedAt + upMs()
}
