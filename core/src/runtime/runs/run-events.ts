import type { RunEvent } from '../../contracts/event.ts'

/** Where the events of a run come from. */
export interface RunEventSource {
  /** @throws NotFoundError `run_not_found` */
  assertKnown(): Promise<unknown>
  /** Whether more may come. */
  isActive(): boolean
  /** What is recorded after a number. */
  recorded(after: number): Promise<readonly RunEvent[]>
  /** Hears every event of every run. @returns how to stop listening */
  listen(handler: (event: RunEvent) => void): () => void
}

const LAST: ReadonlySet<string> = new Set(['run.completed', 'run.incomplete', 'run.failed', 'run.cancelled'])

const isLast = ({ type }: RunEvent): boolean => LAST.has(type)

/** Events of a run from a number on, then as they come, until it ends. */
export async function* readRunEvents(
  id: string,
  source: RunEventSource,
  options: { after?: number; deltas?: boolean; signal?: AbortSignal },
): AsyncGenerator<RunEvent> {
  const { after = 0, deltas = true, signal } = options
  const waiting: RunEvent[] = []
  let wake: () => void = () => {}
  const push = (event: RunEvent): void => {
    if (event.runId !== id) return
    waiting.push(event)
    wake()
  }
  const unsubscribe = source.listen(push)
  const stop = (): void => wake()
  signal?.addEventListener('abort', stop)
  try {
    await source.assertKnown()
    let last = after
    for (const event of await source.recorded(after)) {
      last = event.seq ?? last
      yield event
      if (isLast(event)) return
    }
    while (signal?.aborted !== true) {
      const event = waiting.shift()
      if (event === undefined) {
        if (!source.isActive()) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      if (event.seq === undefined ? !deltas : event.seq <= last) continue
      last = event.seq ?? last
      yield event
      if (isLast(event)) return
    }
  } finally {
    unsubscribe()
    signal?.removeEventListener('abort', stop)
  }
}
