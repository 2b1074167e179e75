import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { leave, leftAt } from './places.ts'

/** Rows beyond the edges that are drawn already. */
const OVERSCAN = 8

interface VirtualListProps<T> {
  /** Of the list, for people who cannot see it. */
  label: string
  items: readonly T[]
  /** Of every row, in pixels. */
  rowHeight: number
  row: (item: T, index: number) => ComponentChildren
  /** The most pixels that the list takes: `fill` takes what the parent gives. */
  height: number | 'fill'
  /** Called when the last rows come into sight. */
  onEnd?: (() => void) | undefined
  /** Calls `onEnd` when so many rows are left below. Default 0. */
  early?: number
  /** Goes on showing the newest row as rows are added, until somebody scrolls up. */
  follows?: boolean
  /** Brings a row into sight when it changes. */
  showIndex?: number | undefined
  /** A name by which the list is found again where it was left. Default: it begins at its first row. */
  place?: string
}

/** A list of any length: only the rows in sight are in the page. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, rowHeight, row, height, onEnd, early = 0, follows = false, showIndex, place } = props
  const { length: count } = items
  const frame = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const wanted = useRef(leftAt(place))
  // No more than a window shows: a list that is wanted soon is not drawn twice.
  const [range, setRange] = useState(() => ({ first: 0, last: Math.ceil(innerHeight / rowHeight) }))
  const measure = (): void => {
    const element = frame.current
    if (element === null) return
    const { scrollTop, clientHeight } = element
    isAtEnd.current = scrollTop + clientHeight >= element.scrollHeight - rowHeight
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN)
    const last = Math.ceil((scrollTop + clientHeight) / rowHeight) + OVERSCAN
    setRange((before) => (before.first === first && before.last === last ? before : { first, last }))
  }
  useLayoutEffect(() => {
    const element = frame.current
    if (element !== null && follows && isAtEnd.current) element.scrollTop = element.scrollHeight
    // It may have to be loaded page by page until it is as long as it was.
    if (element !== null && wanted.current !== undefined) {
      element.scrollTop = wanted.current
      if (element.scrollTop >= wanted.current - 1) wanted.current = undefined
    }
    measure()
  }, [count, rowHeight, follows])
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (frame.current !== null) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [rowHeight])
  useEffect(() => {
    const element = frame.current
    if (element === null || showIndex === undefined || showIndex < 0) return
    const top = showIndex * rowHeight
    if (top < element.scrollTop || top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top - element.clientHeight / 2
  }, [showIndex, rowHeight])
  useEffect(() => {
    if (onEnd !== undefined && range.last >= count - early) onEnd()
  }, [range.last, count, onEnd, early])

  return (
    <div
      ref={frame}
      class="virtual"
      role="list"
      aria-label={label}
      tabIndex={0}
      style={height === 'fill' ? { height: '100%' } : { maxHeight: `${height}px` }}
      onWheel={() => (wanted.current = undefined)}
      onScroll={({ currentTarget }) => {
        if (wanted.current === undefined) leave(place, currentTarget.scrollTop)
        measure()
      }}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div class="virtual-shown" role="presentation" style={{ paddingTop: `${range.first * rowHeight}px` }}>
          {items.slice(range.first, range.last).map((item, index) => row(item, range.first + index))}
        </div>
      </div>
    </div>
  )
}
