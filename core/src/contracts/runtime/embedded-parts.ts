import type { Activity, Measurement } from '../log/measurement.ts'

/** A request that makes something else than a run, and that is to do so once. */
export interface OnceRequest {
  /** Whose key it is: holder, method and path of a request. */
  scope: string
  key: string
  /** Of what was asked for. */
  bodyHash: string
}

/** What only the process that works on the runs can do. */
export interface EmbeddedParts {
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
  /** What this process works on now. */
  activity(): Activity
  /**
   * Tries whether the store takes what is recorded of runs, by a small write that leaves nothing behind.
   *
   * @throws SvcError `store_unavailable`, `disk_full`
   */
  assertWritable(): Promise<void>
}
