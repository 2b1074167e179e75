/** How numbers and times are written. Units are always there. */

const count = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/** `840 ms`, `2.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–'
  if (ms < 1) return '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1,234`. */
export const formatCount = (value: number): string => count.format(value)

/** `1.2K`. */
export const formatShort = (value: number): string => short.format(value)

/** US dollars; of unknown prices a dash. */
export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '–'
  if (usd === 0) return '$0'
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`
}

export const formatClock = (time: string | number): string => clock.format(new Date(time))

export const formatDate = (time: string | number): string => date.format(new Date(time))

/** `in 3 min`, `12 s ago`. */
export function formatFromNow(time: string | number, now = Date.now()): string {
  const ms = new Date(time).getTime() - now
  const size = Math.abs(ms)
  const text =
    size < 60_000
      ? `${Math.round(size / 1_000)} s`
      : size < 3_600_000
        ? `${Math.round(size / 60_000)} min`
        : size < 172_800_000
          ? `${Math.round(size / 3_600_000)} h`
          : `${Math.round(size / 86_400_000)} days`
  return ms < 0 ? `${text} ago` : `in ${text}`
}

/** The last part of an id, enough to tell two apart. */
export const shortId = (id: string): string => id.slice(-6)

/** A text on one line, cut. */
export const oneLine = (text: string, most = 300): string => {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
