import type { RunEvent } from '../log/event.ts'
import type { RuntimeMemory } from '../memory/memory.ts'
import type { Complexity } from '../stages/complexity.ts'
import type { Task } from '../stages/task.ts'
import type { FileNames, FileQuery } from '../tool/workspace-files.ts'
import type { AgentApi } from './agents.ts'
import type { ApprovalApi } from './approvals.ts'
import type { Caller } from './audit.ts'
import type { EmbeddedParts } from './embedded-parts.ts'
import type { Asker } from './keyed-request.ts'
import type { Reach } from './reach.ts'
import type { RunHistory } from './run-history.ts'
import type { Runs } from './runs.ts'
import type { RuntimeStatus } from './runtime-status.ts'
import type { ThreadApi } from './threads.ts'

export * from './agents.ts'
export * from './approvals.ts'
export * from './audit.ts'
export * from './embedded-parts.ts'
export * from './health.ts'
export * from './keyed-request.ts'
export * from './reach.ts'
export * from './rules-file.ts'
export * from './run-history.ts'
export * from './runs.ts'
export * from './runtime-info.ts'
export * from './runtime-status.ts'
export * from './threads.ts'

/** What server, SDK and CLI speak to, and nothing below it. Behind a server the embedded parts are absent. */
export interface Runtime extends RuntimeStatus, Partial<EmbeddedParts> {
  readonly runs: Runs & RunHistory
  readonly approvals: ApprovalApi
  readonly agents: AgentApi
  readonly memory: RuntimeMemory
  readonly threads: ThreadApi
  /**
   * Finds files of the workspace, as `list_files` sees them, for `files` of a run. Absent where the runtime has none.
   *
   * @throws ValidationError `validation_failed`; over HTTP NotFoundError `route_not_found` where that runtime has none
   */
  files?(query?: FileQuery): Promise<FileNames>
  analyze(task: Task, asker?: Asker): Promise<Complexity>
  /**
   * Calls a handler with each event of each run. A handler that throws never breaks a run.
   *
   * @param options.passive true: it asks for no pieces of answers, and hears them where somebody else does
   * @param options.begun true: it also hears at once how the runs began (`run.started`, `run.recovered`) that this process works on
   *   already, those of its start included. Not over HTTP
   * @returns how to stop listening
   */
  onEvent(handler: (event: RunEvent) => void, options?: { passive?: boolean; begun?: boolean }): () => void
  /**
   * Calls a handler with what begins, waits and ends from now on (`run.*`), in the runs of all processes that share the
   * store and work for this folder.
   *
   * @param options.onOpen called each time when listening begins. Over HTTP that is again after each cut: what happened
   *   before is not told
   * @returns how to stop listening
   */
  onRunEvent(handler: (event: RunEvent) => void, options?: Reach & { onOpen?: () => void }): () => void
  /** The same runtime for somebody else: what they decide is written down under their name. Absent behind a server. */
  as?(caller: Caller): Runtime
  close(): Promise<void>
}

/** A runtime that works on its runs itself. */
export type EmbeddedRuntime = Runtime & EmbeddedParts & Required<Pick<Runtime, 'as'>>
