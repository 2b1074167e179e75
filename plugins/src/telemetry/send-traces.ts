import { setTimeout as delay } from 'node:timers/promises'
import type { OtlpRequest } from './otlp-json.ts'

const TRIES = 3
const TRY_MS = 10_000
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 5_000
/** Answers after which OTLP says to try again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Where traces are sent. */
export interface Collector {
  url: string
  headers: Readonly<Record<string, string>>
  fetch: typeof fetch
}

/**
 * Sends traces to a collector, again where it is busy or cannot be reached.
 *
 * @param signal ends it
 * @throws Error that says why they did not arrive
 */
export async function sendTraces(collector: Collector, request: OtlpRequest, signal: AbortSignal): Promise<void> {
  const { url, headers, fetch } = collector
  const body = JSON.stringify(request)
  for (let tries = 1; ; tries++) {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)])
    // A redirect could carry the headers to somebody else.
    const sent = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: bounded,
    }).catch((thrown: unknown) => thrown)
    if (sent instanceof Response) {
      await sent.body?.cancel()
      if (sent.ok) return
      if (!PASSING.has(sent.status) || tries >= TRIES) throw new Error(`it answered ${sent.status}`)
    } else if (signal.aborted) throw new Error('there was no time left')
    else if (tries >= TRIES) throw new Error(`it could not be reached (${causeOf(sent)})`)
    const asked = sent instanceof Response ? Number(sent.headers.get('retry-after')) * 1000 : Number.NaN
    const delayMs = Number.isFinite(asked) && asked > 0 ? asked : FIRST_DELAY_MS * 2 ** (tries - 1)
    // what ends it is said by the next try
    await delay(Math.min(LONGEST_DELAY_MS, delayMs), undefined, { signal, ref: false }).catch(() => {})
  }
}

function causeOf(thrown: unknown): string {
  const { cause } = thrown instanceof Error ? thrown : { cause: undefined }
  const inner = cause instanceof Error ? cause : thrown
  if (!(inner instanceof Error)) return String(inner)
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.name
}
