import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunState } from '../state/run-state.ts'

/** Events that are folded in one frame: a few milliseconds of work. */
const A_FRAME = 2_000

/**
 * The run as it was at an event; undefined: as it is now. Where a long log has to be folded, the moment before is shown
 * until that is done, so that who slides through the history is never held up.
 */
export function usePast(live: RunState, seq: number | undefined): RunState {
  const [, draw] = useState(0)
  const folding = useRef<{ seq: number; frame: number } | undefined>(undefined)
  const before = useRef({ live, state: live })
  const leave = (): void => {
    cancelAnimationFrame(folding.current?.frame ?? 0)
    folding.current = undefined
  }
  useEffect(() => leave, [])
  if (seq === undefined || before.current.live !== live) {
    leave()
    before.current = { live, state: live }
  }
  if (seq === undefined) return live
  // What was begun is brought to its end, else a hand that never rests would see nothing.
  if (folding.current !== undefined) return before.current.state
  const past = live.approach(seq, A_FRAME)
  if (past !== undefined) {
    before.current = { live, state: past }
    return past
  }
  const goOn = (): void => {
    const { current } = folding
    if (current === undefined) return
    const reached = live.approach(current.seq, A_FRAME)
    if (reached === undefined) {
      current.frame = requestAnimationFrame(goOn)
      return
    }
    folding.current = undefined
    before.current = { live, state: reached }
    draw((turn) => turn + 1)
  }
  folding.current = { seq, frame: requestAnimationFrame(goOn) }
  return before.current.state
}
