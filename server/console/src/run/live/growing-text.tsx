import { toVisible } from '@svc/core/client'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Longer texts show their end alone: all of it stands in the timeline. */
const MOST_SHOWN = 12_000

/** A text that grows at its end: what is new is appended, and nothing else of the page is touched. */
export function GrowingText({ text }: { text: string }) {
  const frame = useRef<HTMLPreElement>(null)
  const written = useRef('')
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null || written.current === text) return
    const node = current.firstChild
    const before = written.current
    if (node instanceof Text && text.length <= MOST_SHOWN && text.startsWith(before))
      node.appendData(toVisible(text.slice(before.length)))
    else current.textContent = toVisible(text.length > MOST_SHOWN ? `…${text.slice(-MOST_SHOWN)}` : text)
    written.current = text
  }, [text])
  return <pre ref={frame} class="growing-text" />
}
