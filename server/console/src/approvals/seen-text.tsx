import { toShownText } from '@svc/core/client'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { DiffText } from '../parts/diff-text.tsx'
import { formatCount } from '../parts/format.ts'

/** Of a longer text the beginning and the end are drawn, until somebody wants all of it. */
const MOST_HEAD = 4_000
const MOST_TAIL = 2_000

interface SeenTextProps {
  text: string
  label: string
  isDiff?: boolean
  /** Called when all of it, to its last line, was on the screen. */
  onSeen: () => void
}

/** A text that a person decides on: nothing in it is invisible or pushed out of sight, and it knows when it was seen to its end. */
export function SeenText({ text, label, isDiff = false, onSeen }: SeenTextProps) {
  const shown = useMemo(() => toShownText(text), [text])
  const [isWhole, setWhole] = useState(shown.length <= MOST_HEAD + MOST_TAIL)
  const frame = useRef<HTMLDivElement>(null)
  const look = (): void => {
    const box = frame.current?.querySelector('pre')
    if (!isWhole || box === null || box === undefined) return
    if (box.scrollTop + box.clientHeight >= box.scrollHeight - 2) onSeen()
  }
  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    if (frame.current !== null) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [shown, isWhole])
  const between = shown.length - MOST_HEAD - MOST_TAIL
  const drawn = isWhole
    ? shown
    : `${shown.slice(0, MOST_HEAD)}\n⟨${formatCount(between)} characters are not shown⟩\n${shown.slice(-MOST_TAIL)}`
  return (
    <div ref={frame} onScrollCapture={look}>
      {isDiff ? (
        <DiffText text={drawn} label={label} mostLines={Number.POSITIVE_INFINITY} />
      ) : (
        <pre class="long-text" tabIndex={0} role="region" aria-label={label}>
          {drawn}
        </pre>
      )}
      {!isWhole && (
        <button type="button" class="plain small" onClick={() => setWhole(true)}>
          Show all {formatCount(shown.length)} characters
        </button>
      )}
    </div>
  )
}
