let lastSecond = Number.NaN
let upToSecond = ''
let lastMs = Number.NaN
let last = ''

/**
 * A time as it stands on the wire. Many events fall into one second, and writing a whole date out costs more than most of
 * them do.
 */
export function isoTime(timeMs: number): string {
  if (timeMs === lastMs) return last
  const second = Math.floor(timeMs / 1000)
  if (second !== lastSecond) {
    upToSecond = new Date(second * 1000).toISOString().slice(0, -4) // up to the point before the milliseconds
    lastSecond = second
  }
  const ms = Math.trunc(timeMs) - second * 1000
  last = `${upToSecond}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`
  lastMs = timeMs
  return last
}
