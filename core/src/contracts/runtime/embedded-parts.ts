import type { Activity, Measurement } from '../log/measurement.ts'
import type { RunStatus } from '../words.ts'
import type { AuditAction, AuditDetails } from './audit.ts'
import type { Reach } from './reach.ts'

/** A request that makes something else than a run, and that is to do so once. */
export interface OnceRequest {
  /** Whose key it is: holder, method and path of a request. */
  scope: string
  key: string
  /** Of what was asked for. */
  bodyHash: string
}

/** Which ended runs are to be removed. */
export interface PruneQuery extends Reach {
  /** Those that ended longer ago than this. */
  olderThanMs: number
  /** One of those that a run ends with. */
  status?: RunStatus
  /** True: they are counted, and stay. Default false. */
  dryRun?: boolean
}

/** Runs that were removed, or would be. */
export interface PrunedRuns {
  runs: number
  /** What was kept of them: see `StoredRun.bytes`. */
  bytes: number
}

/** What only the process that works on the runs can do. */
export interface EmbeddedParts {
  /** Writes down what was decided outside of the runtime, by who uses it. @throws as `Audit` */
  audit(what: AuditAction, details?: AuditDetails): void
  /**
   * Does something once for a key within 24 hours, over all processes that share the store; who comes meanwhile waits.
   *
   * @param work answers the id of what it made; it is handed whether a process that ended in the middle may have made it
   *
   * @throws ValidationError `idempotency_mismatch`; what the work threw, which may then be tried again
   */
  once(request: OnceRequest, work: (isAgain: boolean) => Promise<string>): Promise<{ id: string; isReplayed: boolean }>
  /**
   * Calls a handler with what the runtime measures of its plugins and its store. Until somebody asks, nothing is measured.
   *
   * @returns how to stop
   */
  onMeasure(handler: (measured: Measurement) => void): () => void
  /**
   * Removes runs of this folder, or of all, that ended long ago, with all that belongs to them: a few at a time, so that runs
   * at work go on meanwhile.
   *
   * @throws ValidationError `validation_failed`; SvcError `store_unavailable` also for a store that cannot say what has ended
   */
  prune(query: PruneQuery): Promise<PrunedRuns>
  /** What this process works on now. */
  activity(): Activity
  /**
   * Tries whether the store takes what is recorded of runs, by a small write that leaves nothing behind.
   *
   * @throws SvcError `store_unavailable`, `disk_full`
   */
  assertWritable(): Promise<void>
}
