import { lstatSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { EventPlace, RunEvent } from '../../../contracts/log/event.ts'
import type { TaintedSpan } from '../../../contracts/store/run-row.ts'

/** The kernel stamps files by a clock that is up to one tick behind. */
const TICK_MS = 10
/** A call that was ended may write for a moment more. */
const ENDING_MS = 1_000

/**
 * Which files of the workspace may hold, or be called by, what a tainted agent wrote: those that changed while it made a call that
 * can write. The time of a change (`ctime`) is the kernel's: no program sets it, and copies, moves, archives and links have one
 * of their own. What somebody else writes later is theirs.
 */
export class TaintedFiles {
  readonly #workspace: string
  readonly #spans: TaintedSpan[]

  constructor(workspace: string, spans: readonly TaintedSpan[]) {
    this.#workspace = workspace
    this.#spans = [...spans]
  }

  /** Whether there may be any. */
  get hasAny(): boolean {
    return this.#spans.length > 0
  }

  /** A tainted call begins. @returns what is called when it is over */
  begin(): (isDone: boolean) => void {
    const span = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    this.#spans.push(span)
    return (isDone) => {
      span.to = Date.now() + (isDone ? 0 : ENDING_MS)
    }
  }

  /** @param path from the workspace; of one that is gone, the folder counts that it was in */
  has(path: string): boolean {
    if (!this.hasAny) return false
    const changed = changeOf(resolve(this.#workspace, path))
    if (changed === undefined) return path !== '.' && this.has(dirname(path))
    return this.#spans.some(
      ({ from, to }) => changed >= Math.min(from, to) - TICK_MS && changed < Math.max(from, to) + 1,
    )
  }
}

/** When something last changed there, in milliseconds since the epoch; undefined where nothing is, or can be seen. */
function changeOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs
  } catch {
    return undefined
  }
}

/** When the tainted calls of a log could write. @param untilMs for those that have no end in it: they were cut off, or go on */
export function taintedSpans(events: readonly RunEvent[], untilMs: number): TaintedSpan[] {
  const openTo = untilMs + ENDING_MS
  const spans = new Map<string, TaintedSpan>()
  for (const event of events) {
    if (event.type === 'tool.started' && event.data.tainted === true) {
      // It may have begun in an earlier life, too, that did not see its end.
      const { from } = spans.get(callOf(event)) ?? { from: Date.parse(event.time) }
      spans.set(callOf(event), { from, to: openTo })
    } else if (event.type === 'tool.completed' || event.type === 'tool.failed') {
      const span = spans.get(callOf(event))
      if (span?.to === openTo) span.to = Date.parse(event.time) + (event.type === 'tool.failed' ? ENDING_MS : 0)
    }
  }
  return [...spans.values()]
}

const callOf = ({ agentId, callId }: EventPlace): string => `${agentId}|${callId}`
