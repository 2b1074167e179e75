import type { RunEvent } from '../../../contracts/log/event.ts'
import type { Lease, StepRow } from '../../../contracts/log/journal.ts'
import type { RunStartOptions } from '../../../contracts/runtime/runs.ts'
import type { Store } from '../../../contracts/store/store.ts'

/** What a session starts from beside the prepared run. */
export interface SessionOptions {
  store: Pick<Store, 'commit' | 'records'>
  lease: Lease
  /** Renews the lease where it may have run out: see `KeyedJournalOptions`. */
  confirmLease?(): undefined | Promise<void>
  /** Of a run that is being recorded: what it writes is sent to nobody before it is, and its first events are. */
  opened?: Promise<void> | undefined
  /** What earlier lives of the run have recorded. */
  events?: readonly RunEvent[]
  steps?: readonly StepRow[]
  /** Ids of profiles and marks of tools that its plan names and that are not here: it goes on without. */
  gone?: readonly string[]
  /** False: who made the run reads no pieces of answers. */
  deltas?: boolean | undefined
  /** Of who made the run: see `RunStartOptions`. */
  checkOutput?: RunStartOptions['checkOutput'] | undefined
  /** Of who made the run, in this process: why it was aborted is the cause of the run's own reason. */
  signal?: AbortSignal | undefined
  /** The run begins to wait for somebody, or goes on. */
  onRest?(isResting: boolean): void
}
