import type { StoreMeasurement } from '../log/measurement.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** What a store that writes to a disk says of it. */
export interface StoreHealth {
  /**
   * Tells what writes through this handle cost, from now on.
   *
   * @returns how to stop
   */
  measure(handler: (measured: StoreMeasurement) => void): () => void
  /**
   * Makes a small durable write that leaves nothing behind.
   *
   * @throws SvcError `store_unavailable`, `disk_full` where runs cannot be recorded
   */
  assertWritable(): MaybePromise<void>
  /** What is left free on its disk, in bytes; undefined where that cannot be said. */
  freeBytes(): number | undefined
}
