import type { Store } from '../../contracts/store/store.ts'
import type { Warning } from '../../contracts/warning.ts'

const MIB = 1_048_576
const LOW_BYTES = 512 * MIB

/** Whether the disk of the store is about to be full, after which no run can be recorded. */
export function findLowDisk({ store }: { store: Pick<Store, 'freeBytes'> }): Warning[] {
  const bytes = store.freeBytes?.()
  if (bytes === undefined || bytes >= LOW_BYTES) return []
  const message = `the disk of the store has ${Math.floor(bytes / MIB)} MiB left: free some, remove old runs with svc runs prune, or set store.retainDays`
  return [{ code: 'disk_low', message }]
}
