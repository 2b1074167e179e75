import type { RunEvent } from '@svc/core'

/** Characters of a cut text that are sent. */
const KEPT = 256
/** Shorter texts are never cut: little would be won. */
const CUTTABLE = 2 * KEPT
/** What the name of a cut text takes in JSON, beside its path. */
const NAMED_BYTES = 40

/** A text of which only the beginning is sent. */
export interface CutText {
  /** JSON pointer in the event. */
  path: string
  /** Of the whole text, as UTF-8. */
  bytes: number
}

/** An event as it is sent: one that is too long says what is missing of it, and where the whole of it is. */
export type SentEvent = RunEvent & {
  /** Path of the whole event; absent on what is sent once and not kept. */
  ref?: string
  cut?: CutText[]
}

/**
 * An event as JSON. Of one that takes more than `maxBytes`, texts in its data are cut to their beginning, the longest
 * first, until it fits. Many short values are not cut, however many they are.
 */
export function toJson(event: RunEvent, maxBytes: number): string {
  const json = JSON.stringify(event)
  // A character takes at most three bytes: of most events the bytes need not be counted.
  if (json.length * 3 <= maxBytes) return json
  let bytes = Buffer.byteLength(json)
  if (bytes <= maxBytes) return json
  const cut: CutText[] = []
  /** By the object that holds them: the names of fields whose texts are cut. */
  const names = new Map<object, Set<string>>()
  for (const text of longTexts(event).sort((a, b) => b.bytes - a.bytes)) {
    if (bytes <= maxBytes) break
    const { holder, name, path } = text
    bytes -= text.bytes - 3 * KEPT - path.length - NAMED_BYTES
    cut.push({ path, bytes: text.bytes })
    const known = names.get(holder)
    if (known === undefined) names.set(holder, new Set([name]))
    else known.add(name)
  }
  if (cut.length === 0) return json
  const { seq, runId } = event
  const sent: SentEvent = { ...event, ...(seq !== undefined && { ref: `/v1/runs/${runId}/events/${seq}` }), cut }
  return JSON.stringify(sent, function (this: object, name, value: unknown) {
    return typeof value === 'string' && names.get(this)?.has(name) ? beginningOf(value, KEPT) : value
  })
}

/** The first characters of a text, without the half of a pair at its end. */
export function beginningOf(text: string, length: number): string {
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(length))
  return text.slice(0, isPair ? length - 1 : length)
}

/** The texts of an event's data that can be cut. A list of what is left to do: data may lie deeper than calls can. */
function longTexts({ data }: RunEvent): { holder: object; name: string; path: string; bytes: number }[] {
  const found: ReturnType<typeof longTexts> = []
  const open: { holder: object; path: string }[] = [{ holder: data, path: '/data' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { holder, path } = next
    for (const [name, value] of Object.entries(holder) as [string, unknown][]) {
      const isText = typeof value === 'string' && value.length > CUTTABLE
      if (!isText && (typeof value !== 'object' || value === null)) continue
      const inside = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (isText) found.push({ holder, name, path: inside, bytes: Buffer.byteLength(value) })
      else open.push({ holder: value as object, path: inside })
    }
  }
  return found
}
