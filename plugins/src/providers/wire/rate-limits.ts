import type { RateLeft, RateLimits } from '@svc/core'

/** Of `Headers` what is needed here; svc's own transport has no more. */
interface HeaderReader {
  get(name: string): string | null
}

/** What the headers of an answer say is left, in Anthropic's words or in those of OpenAI and its like. */
export function toRateLimits(headers: HeaderReader): RateLimits | undefined {
  const requests = toLeft(headers, 'requests')
  const tokens = toLeft(headers, 'tokens')
  if (requests === undefined && tokens === undefined) return undefined
  return { ...(requests && { requests }), ...(tokens && { tokens }) }
}

function toLeft(headers: HeaderReader, what: string): RateLeft | undefined {
  const read = (field: string): string | null =>
    headers.get(`anthropic-ratelimit-${what}-${field}`) ?? headers.get(`x-ratelimit-${field}-${what}`)
  const remaining = toNumber(read('remaining'))
  // Most servers say nothing of it.
  const resetMs = remaining === undefined ? undefined : toMs(read('reset'))
  if (remaining === undefined || resetMs === undefined) return undefined
  const limit = toNumber(read('limit'))
  return { remaining, resetMs, ...(limit !== undefined && limit > 0 && { limit }) }
}

const toNumber = (text: string | null): number | undefined =>
  text === null || text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** `1s`, `6m0s`, `17ms`, seconds, or a date. */
function toMs(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const seconds = toNumber(text)
  if (seconds !== undefined) return Math.max(0, seconds * 1_000)
  if (/^(?:[\d.]{1,12}(?:ms|s|m|h))+$/.test(text)) {
    let sum = 0
    for (const [, count, unit = ''] of text.matchAll(/([\d.]{1,12})(ms|s|m|h)/g))
      sum += Number(count) * (UNIT_MS[unit] ?? 0)
    return Number.isFinite(sum) ? sum : undefined
  }
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
