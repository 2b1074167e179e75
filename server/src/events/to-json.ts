import type { RunEvent } from '@svc/core'

/** Characters of a cut text that are sent. */
const KEPT = 256
/** Shorter texts are never cut: little would be won. */
const CUTTABLE = 2 * KEPT

/** Objects of an event that are looked into: enough for any log, and an end where one holds itself. */
const MOST_PLACES = 200_000

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

/** An object inside an event's data, and the way there. */
interface DataNode {
  value: object
  name: string
  parent: DataNode | undefined
}

interface LongText {
  place: DataNode
  name: string
  bytes: number
}

/**
 * An event as JSON. Of one that takes more than `maxBytes`, texts in its data are cut to their beginning, the longest
 * first, until it fits. Many short values are not cut, however many they are.
 */
export function toJson(event: RunEvent, maxBytes: number): string {
  const texts = longTexts(event.data)
  if (texts.length === 0) return JSON.stringify(event)
  texts.sort((a, b) => b.bytes - a.bytes)
  let count = 0
  const cutFor = (excess: number): void => {
    for (let rest = excess; rest > 0 && count < texts.length; count++) rest -= (texts[count]?.bytes ?? 0) - KEPT
  }
  // Texts that are too long by themselves are never encoded: it would take longer than all the rest.
  cutFor(texts.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes)
  for (let tries = 1; ; tries++) {
    const json = encode(event, texts, count)
    const excess = json.length * 3 <= maxBytes ? 0 : Buffer.byteLength(json) - maxBytes
    if (excess <= 0 || count === texts.length) return json
    // Where paths are so long that little is won, all are cut rather than one after the other.
    cutFor(tries < 3 ? excess : Number.POSITIVE_INFINITY)
  }
}

/** @param count so many of the texts are cut */
function encode(event: RunEvent, texts: readonly LongText[], count: number): string {
  if (count === 0) return JSON.stringify(event)
  /** By the object that holds them: the names of fields whose texts are cut. */
  const names = new Map<unknown, Set<string>>()
  for (const { place, name } of texts.slice(0, count))
    names.set(place.value, (names.get(place.value) ?? new Set()).add(name))
  // An object that stands in two places is cut in both.
  const cut = texts.filter(({ place, name }) => names.get(place.value)?.has(name))
  const { seq, runId } = event
  const sent: SentEvent = {
    ...event,
    ...(seq !== undefined && { ref: `/v1/runs/${runId}/events/${seq}` }),
    cut: cut.map(({ place, name, bytes }) => ({ path: pathOf(place, name), bytes })),
  }
  return JSON.stringify(sent, function (name, value: unknown) {
    return typeof value === 'string' && names.get(this)?.has(name) ? beginningOf(value, KEPT) : value
  })
}

/** The first characters of a text, without the half of a pair at its end. */
export function beginningOf(text: string, length: number): string {
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(length))
  return text.slice(0, isPair ? length - 1 : length)
}

/** The texts of an event's data that can be cut. A list of what is left to do: data may lie deeper than calls can. */
function longTexts(data: object): LongText[] {
  const found: LongText[] = []
  const open: DataNode[] = [{ value: data, name: 'data', parent: undefined }]
  for (let places = 0; places < MOST_PLACES; places++) {
    const place = open.pop()
    if (place === undefined) break
    const fields = place.value as Record<string, unknown>
    for (const name in fields) {
      const value = fields[name]
      if (typeof value === 'string') {
        if (value.length > CUTTABLE) found.push({ place, name, bytes: Buffer.byteLength(value) })
      } else if (typeof value === 'object' && value !== null) open.push({ value, name, parent: place })
    }
  }
  return found
}

function pathOf(place: DataNode | undefined, name: string): string {
  let path = toToken(name)
  for (let at = place; at !== undefined; at = at.parent) path = toToken(at.name) + path
  return path
}

const toToken = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
