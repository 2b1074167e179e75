/** A stretch of time that is shown, in milliseconds since the epoch. */
export interface TimeWindow {
  from: number
  to: number
}

/** A line of the axis. */
export interface Tick {
  /** Where it stands, from 0 at the left to 1. */
  part: number
  label: string
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((count) => count * HOUR),
]

/** Closer than this nobody can look. */
const SHORTEST_MS = 2

/** Round ticks over a window, counted from the beginning of the run. */
export function ticksOf({ from, to }: TimeWindow, origin: number, most: number): Tick[] {
  const length = Math.max(1, to - from)
  const fitting = STEPS.find((step) => length / step <= most)
  const step = fitting ?? Math.ceil(length / most / (24 * HOUR)) * 24 * HOUR
  const ticks: Tick[] = []
  for (let offset = Math.ceil((from - origin) / step) * step; offset <= to - origin; offset += step)
    ticks.push({ part: (offset + origin - from) / length, label: formatTick(offset) })
  return ticks
}

/** `0`, `250 ms`, `1.5 s`, `2:30 min`, `1:05 h`. */
export function formatTick(ms: number): string {
  if (ms === 0) return '0'
  if (ms < SECOND) return `${ms} ms`
  if (ms < MINUTE) return `${ms / SECOND} s`
  const [whole, rest, unit] = ms < HOUR ? [MINUTE, SECOND, 'min'] : [HOUR, MINUTE, 'h']
  const parts = Math.floor((ms % whole) / rest)
  return `${Math.floor(ms / whole)}${parts > 0 ? `:${String(parts).padStart(2, '0')}` : ''} ${unit}`
}

/** A window that is `factor` times as long, in which what stood at a part of the old one stands where it was. */
export function zoomed(shown: TimeWindow, whole: TimeWindow, factor: number, part = 0.5): TimeWindow | undefined {
  const length = (shown.to - shown.from) * factor
  if (length >= whole.to - whole.from) return undefined
  const kept = Math.max(SHORTEST_MS, length)
  const pivot = shown.from + (shown.to - shown.from) * part
  return within({ from: pivot - kept * part, to: pivot + kept * (1 - part) }, whole)
}

/** A window that was moved by parts of its length, and stays within the whole. */
export function moved({ from, to }: TimeWindow, whole: TimeWindow, parts: number): TimeWindow {
  const by = (to - from) * parts
  return within({ from: from + by, to: to + by }, whole)
}

function within({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const by = Math.max(0, whole.from - from) - Math.max(0, to - whole.to)
  return { from: from + by, to: to + by }
}
