import type { Run } from '../../contracts/run.ts'
import type { RunRow } from '../../contracts/store.ts'

/** A run as it is listed: its row without what only the runtime needs. */
export function toRun(row: RunRow): Run {
  const { format: _f, create: _c, configHash: _h, originRunId: _o, inherits: _i, released: _r, ...run } = row
  return run
}
