import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** After it was drawn, a growing text rests for this many times as long. */
const REST = 4

/** A growing text as it is to be drawn: the longer its drawing takes, the more of it is drawn at once. */
export function usePaced(text: string, isGrowing: boolean): string {
  const shown = useRef(text)
  const last = useRef({ at: 0, tookMs: 0 })
  const [, drawAgain] = useState(0)
  const startedAt = performance.now()
  const restMs = last.current.at + REST * last.current.tookMs - startedAt
  const isDrawn = !isGrowing || restMs <= 0 || !text.startsWith(shown.current)
  if (isDrawn) shown.current = text
  const isBehind = shown.current !== text
  useLayoutEffect(() => {
    const at = performance.now()
    if (isDrawn) last.current = { at, tookMs: at - startedAt }
  })
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(() => drawAgain((count) => count + 1), restMs)
    return () => clearTimeout(timer)
  }, [isBehind])
  return shown.current
}
