let lastMs = Number.NaN
let last = ''

/** A time as it stands on the wire. Many events fall into one millisecond, and writing it out costs more than they do. */
export function isoTime(timeMs: number): string {
  if (timeMs !== lastMs) {
    last = new Date(timeMs).toISOString()
    lastMs = timeMs
  }
  return last
}
