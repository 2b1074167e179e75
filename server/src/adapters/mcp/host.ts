import type { Asker, Run, RunCreate, Runtime } from '@svc/core'
import type { Unanswered } from './run/unanswered.ts'

/** On whose behalf a request of the protocol is answered. */
export interface McpHost {
  /** As the caller may see it. */
  readonly runtime: Runtime
  /** Whether the caller may answer what a run asks. */
  readonly mayDecide: boolean
  /** Who asks, for answers and runs. */
  readonly asker: Asker
  /** True: a call whose signal is aborted was cancelled by its client, or its client has gone. False: `attach` sees to that. */
  readonly endsWithSignal: boolean
  /** Runs that wait for the next request of their client. */
  readonly unanswered: Unanswered
  /** Makes a run of the caller. @throws SvcError */
  create(create: RunCreate, traceparent: string | undefined): Promise<Run>
  /** The client waits for a run: when it leaves, the run ends. @returns how to stop: the run was answered */
  attach(run: Run): () => void
  /** Ends a run whose call was cancelled, or whose client does not come back. */
  cancel(runId: string): void
  /** Receives what was thrown by accident. */
  onError(thrown: unknown): void
}
