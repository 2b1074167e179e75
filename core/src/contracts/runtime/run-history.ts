import type { Change } from '../run/change.ts'
import type { ForkInput } from '../run/fork-input.ts'
import type { Run } from '../run/run.ts'
import type { CallChanges } from '../tool/file-change.ts'
import type { KeyedRequest } from './keyed-request.ts'
import type { Reach } from './reach.ts'
import type { UndoInput, UndoResult } from './undo.ts'

/** Whether a run gives the same again from its records. */
export interface ReplayResult {
  identical: boolean
  firstDivergence?: { seq: number; expected: unknown; actual: unknown }
}

/** What differs between two runs. */
export interface RunDiff {
  plan: Change[]
  agents: Change[]
  toolCalls: Change[]
  usage: Change[]
  output: Change[]
  firstDivergence?: { seq: [number, number] }
}

/** What becomes of runs that were recorded. */
export interface RunHistory {
  fork(id: string, input: ForkInput, options?: KeyedRequest): Promise<Run>
  replay(id: string): Promise<ReplayResult>
  diff(a: string, b: string, reach?: Reach): Promise<RunDiff>
  /**
   * Puts the files that an ended run changed back as they were before it, or when a step of it ended: all of them, or none. What
   * cannot be undone is named. To undo it a second time changes nothing; `to` with the last step takes it back.
   *
   * @throws ConflictError `files_changed` where somebody changed a file since, `run_not_finished`, `invalid_transition` for a run
   *   that came in a file; ValidationError `validation_failed` for a step that it did not do
   */
  undo(id: string, input?: UndoInput): Promise<UndoResult>
  /** What the calls of a run changed in files, in order, as it is kept for undo. Absent behind a server. */
  fileChanges?(id: string, reach?: Reach): Promise<CallChanges[]>
  /** A content that one of these changes names; undefined for any other, and where it was not kept. Absent behind a server. */
  fileContent?(id: string, sha256: string, reach?: Reach): Promise<Uint8Array | undefined>
  /** The run as JSON Lines: its row, then its events as they are, then its steps and what they name. */
  export(id: string, reach?: Reach): AsyncIterable<Uint8Array>
  /**
   * Puts an exported run beside the others of this folder, under its own id: to be looked at, replayed and forked. What goes on
   * from it counts as resting on something untrusted, and has none of its permissions and limits.
   *
   * @throws ValidationError `validation_failed` for what is no exported run, was cut or changed, or comes from a newer
   *   svc; ConflictError `run_not_finished` for one that had not ended
   */
  import(source: AsyncIterable<Uint8Array>): Promise<Run>
}
