const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, then the date; of a time to come `in 5 min`. */
export function toAge(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso)
  const size = Math.abs(ms)
  if (size < MINUTE_MS) return ms < 0 ? 'in a moment' : 'just now'
  if (size >= 30 * DAY_MS || Number.isNaN(ms)) return iso.slice(0, 10)
  const [count, unit] =
    size < HOUR_MS
      ? [Math.floor(size / MINUTE_MS), 'min']
      : size < DAY_MS
        ? [Math.floor(size / HOUR_MS), 'h']
        : [Math.floor(size / DAY_MS), size < 2 * DAY_MS ? 'day' : 'days']
  return ms < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`
}

/** `0.4 s`, `3 min 20 s`, `2 h 5 min`. */
export function toDuration(ms: number): string {
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(1)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / 1000)} s`
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
}

/** Date and time by the clock of this machine. */
export function toLocalTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const two = (n: number): string => String(n).padStart(2, '0')
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}
