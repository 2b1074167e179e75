import type { RunEvent } from '../../../contracts/log/event.ts'
import type { RunContext } from '../../../contracts/run/run-context.ts'
import type { RunView } from '../../../contracts/run/run-view.ts'
import type { Deadlines } from '../../../support/timers/deadlines.ts'

/**
 * Milliseconds for which a run was worked on, as its log has it: neither the time in which it waited for a person counts,
 * nor that between two lives. Of a life that was cut off, the time up to its last event counts.
 */
export function workedMs(events: readonly RunEvent[]): number {
  let sum = 0
  let since: number | undefined
  let last = 0
  for (const { type, time } of events) {
    const now = Date.parse(time)
    const isEnd = type === 'run.waiting' || type === 'run.recovered'
    if (isEnd && since !== undefined) {
      sum += Math.max(0, (type === 'run.waiting' ? now : last) - since)
      since = undefined
    }
    if (type === 'run.started' || type === 'run.resumed') since ??= now
    last = now
  }
  return since === undefined ? sum : sum + Math.max(0, last - since)
}

/**
 * Calls back when a run has been at work for so long, in all its lives together.
 *
 * @returns how to call it off
 */
export function limitWork(
  session: Pick<RunContext, 'onEvent'> & { readonly view: RunView },
  { leftMs, deadlines, onTimeUp }: { leftMs: number; deadlines: Deadlines; onTimeUp(): void },
): () => void {
  let left = leftMs
  let since: number | undefined
  let stop: () => void = () => {}
  const pause = (): void => {
    if (since === undefined) return
    stop()
    left -= performance.now() - since
    since = undefined
  }
  const goOn = (): void => {
    if (since !== undefined) return
    since = performance.now()
    stop = deadlines.add(Math.max(0, left), onTimeUp)
  }
  const off = session.onEvent(({ type }) => {
    if (type === 'run.waiting') pause()
    else if (type === 'run.resumed') goOn()
  })
  if (session.view.status !== 'waiting') goOn()
  return () => {
    off()
    pause()
  }
}
