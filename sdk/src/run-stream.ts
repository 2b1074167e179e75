import type { ExecutionResult, RunEvent, StartedRun } from '@svc/core'

/**
 * A run as it happens: its events in order, and its result.
 *
 * Leaving the loop early cancels the run.
 */
export interface RunStream<Result = ExecutionResult> extends AsyncIterable<RunEvent> {
  /** Resolves when the run has ended, whether the events are read or not. */
  readonly result: Promise<Result>
}

export interface StreamSource {
  start(): Promise<StartedRun>
  events(id: string): AsyncIterable<RunEvent>
  result(started: StartedRun): Promise<ExecutionResult>
  cancel(id: string): Promise<unknown>
}

/** Starts a run at once. Its events go to the first reader. */
export function createRunStream(source: StreamSource): RunStream {
  const started = source.start()
  const result = started.then((run) => source.result(run))
  result.catch(() => {}) // A caller that awaits it sees the error; one that does not must not crash.
  return {
    result,
    async *[Symbol.asyncIterator]() {
      const { id } = (await started).run
      let ended = false
      try {
        for await (const event of source.events(id)) yield event
        ended = true
      } finally {
        if (!ended) await source.cancel(id)
      }
    },
  }
}
