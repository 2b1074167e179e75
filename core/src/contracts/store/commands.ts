import type { RunStatus } from '../words.ts'
import type { Command } from './command.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** What a watcher receives: `events` only means that nothing else changed. A store that cannot tell says `any`. */
export type RunChange = 'queued' | 'status' | 'events' | 'command' | 'any'

/** What processes ask of each other, and hear of each other's runs. */
export interface Commands {
  /** Records a request to the process that holds the run. */
  command(runId: string, command: Command): MaybePromise<void>
  /** Requests that nobody has taken yet, oldest first. */
  commands(runId: string): MaybePromise<Command[]>
  /**
   * Tells that a run (or, with `*`, any) has changed, by the engine's own means or by polling. Who watches all hears of
   * new events alone only where they were logged through this handle.
   *
   * @param handler gets the status with a change of it, where the store has just written it
   * @returns how to stop watching
   */
  watch(runId: string, handler: (runId: string, change: RunChange, status?: RunStatus) => void): () => void
}
