import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Who is so near to the end goes on following it, in pixels. */
const NEAR_END = 48
/** So near to the beginning what was before is asked for. */
const NEAR_TOP = 600

interface FollowedEnd {
  frame: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  onScroll: () => void
  /** Whether the newest is in sight, or will be as soon as it comes. */
  isAtEnd: boolean
  toEnd: () => void
}

/**
 * Keeps the newest in sight as the content grows, until somebody scrolls up; and what is looked at in its place when
 * something is put before it.
 *
 * @param of what is shown: another one begins at its end
 * @param first names the first item: another one has come before what was there
 * @param onTop called near to the beginning
 */
export function useFollowEnd(of: string, first: string, onTop: () => void): FollowedEnd {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const before = useRef({ of, first, height: 0 })

  const toEnd = useCallback((): void => {
    const { current } = frame
    follows.current = true
    setAtEnd(true)
    if (current !== null) current.scrollTop = current.scrollHeight
  }, [])
  const onScroll = useCallback((): void => {
    const { current } = frame
    if (current === null) return
    follows.current = current.scrollTop + current.clientHeight >= current.scrollHeight - NEAR_END
    setAtEnd(follows.current)
    if (current.scrollTop < NEAR_TOP) onTop()
  }, [onTop])

  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return
    const was = before.current
    if (was.of !== of) follows.current = true
    else if (was.first !== first && !follows.current) current.scrollTop += current.scrollHeight - was.height
    before.current = { of, first, height: current.scrollHeight }
    if (follows.current) current.scrollTop = current.scrollHeight
  }, [of, first])
  useEffect(() => {
    setAtEnd(true)
    const observer = new ResizeObserver(() => {
      const { current } = frame
      if (current === null) return
      before.current.height = current.scrollHeight
      if (follows.current) current.scrollTop = current.scrollHeight
    })
    for (const { current } of [frame, content]) if (current !== null) observer.observe(current)
    return () => observer.disconnect()
  }, [of])
  return { frame, content, onScroll, isAtEnd, toEnd }
}
