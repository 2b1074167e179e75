import type { StepRow } from '../../../contracts/log/journal.ts'
import type { ContentPart } from '../../../contracts/model/message.ts'
import type { ThreadMessage, ThreadTurns } from '../../../contracts/run/thread.ts'
import type { Store } from '../../../contracts/store/store.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { estimateMessageTokens } from '../../../text/compact-messages.ts'
import { bytesOf, inWords, isMedia, mediaOf } from '../../../text/media.ts'
import { toTurns } from '../../../text/task/turns.ts'

export const NO_TURNS: ThreadTurns = { messages: [], leftOut: { turns: 0, tokens: 0, media: 0 } }

/** Share of the soft budget, and of the model's window, that earlier turns may take of each call. */
const SHARE = 1 / 4
/** After turns were left out, the others take at most this share of that. */
const KEPT = 1 / 2

/** Tokens that earlier turns may take. @param windowTokens undefined where nobody knows it */
export const turnTokens = (budgetTokens: number, windowTokens = Number.POSITIVE_INFINITY): number =>
  Math.floor(SHARE * Math.min(budgetTokens, windowTokens))

/**
 * The newest turns that fit. Whole turns are left out, the oldest first, and where some have to be, so many that half of the room is
 * free again: the messages begin with the same turn for a while then, and a provider finds them in its cache.
 */
export function fitTurns(messages: readonly ThreadMessage[], mostTokens: number): ThreadTurns {
  const turns = byRun(messages)
  const sizes = turns.map((turn) => toTurns(turn).reduce((sum, message) => sum + estimateMessageTokens(message), 0))
  let first = 0
  let kept = 0
  for (const [index, size] of sizes.entries()) {
    kept += size
    if (kept <= mostTokens) continue
    while (first < index && kept > KEPT * mostTokens) kept -= sizes[first++] ?? 0
    if (kept > mostTokens) kept -= sizes[first++] ?? 0
  }
  const tokens = sizes.slice(0, first).reduce((sum, size) => sum + size, 0)
  return { messages: turns.slice(first).flat(), leftOut: { turns: first, tokens, media: 0 } }
}

function byRun(messages: readonly ThreadMessage[]): ThreadMessage[][] {
  const turns: ThreadMessage[][] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.[0]?.runId === message.runId) last.push(message)
    else turns.push([message])
  }
  return turns
}

/** What one request can hold of images and files, those of the run itself taken off. */
interface Room {
  count: number
  bytes: number
}

/** The same turns, with the oldest images and files in words where one request cannot hold all. */
export function fitMedia({ messages, leftOut }: ThreadTurns, { ...room }: Room): ThreadTurns {
  let media = 0
  const fitted = messages.toReversed().map((message) => {
    const parts = mediaOf(message.context)
    if (parts.length === 0) return message
    room.count -= parts.length
    room.bytes -= bytesOf(parts)
    if (room.count >= 0 && room.bytes >= 0) return message
    media += parts.length
    return withWords(message)
  })
  return { messages: fitted.reverse(), leftOut: { ...leftOut, media } }
}

/** A message whose images and files are named. */
const withWords = (message: ThreadMessage): ThreadMessage =>
  typeof message.context === 'object' ? { ...message, context: inWords(message.context) } : message

export function warnOfLeftOut({ messages, leftOut: { turns, tokens, media } }: ThreadTurns): Warning[] {
  const kept = byRun(messages).length
  const left = `${turns} earlier ${turns === 1 ? 'turn' : 'turns'} of the thread (${tokens} tokens)`
  const named = `${media} ${media === 1 ? 'image or PDF' : 'images and PDFs'} of earlier turns`
  return [
    ...(turns > 0
      ? [`${left} did not fit and ${turns === 1 ? 'was' : 'were'} left out; the newest ${kept} were sent`]
      : []),
    ...(media > 0 ? [`${named} did not fit and ${media === 1 ? 'was' : 'were'} named in words`] : []),
  ].map((message) => ({ code: 'turns_left_out', message }))
}

/** Under which key a run records what it was sent of its thread. */
export const THREAD_KEY = 'thread'

/** What is recorded of the turns that a run is sent: the bytes of images and files stand beside the log, once for all runs. @param keep stores bytes. @returns their SHA-256 */
export async function toRecorded(turns: ThreadTurns, keep: (bytes: Uint8Array) => Promise<string>): Promise<unknown> {
  return withParts(turns, async (part) => {
    if (!isMedia(part)) return part
    return withField(part, 'data', 'ref', await keep(Buffer.from(part.data, 'base64')))
  })
}

/** The turns that are recorded of a run; undefined where none are. */
export async function readTurns(
  { payloads }: Pick<Store, 'payloads'>,
  steps: readonly StepRow[],
): Promise<ThreadTurns | undefined> {
  const recorded = steps.find(({ key }) => key === THREAD_KEY)?.outcome as ThreadTurns | undefined
  return (
    recorded &&
    withParts(recorded, async (part) => {
      if (!('ref' in part)) return part
      const bytes = await payloads.get(String(part.ref))
      if (bytes === undefined) return { type: 'text', text: `[an ${part.type} that is kept no longer]` }
      return withField(part, 'ref', 'data', Buffer.from(bytes).toString('base64'))
    })
  )
}

/** One field in the place of another: requests are held against their records with their fields in order. */
const withField = (part: object, from: string, to: string, value: unknown): unknown =>
  Object.fromEntries(Object.entries(part).map(([name, old]) => (name === from ? [to, value] : [name, old])))

/** The same turns with each part of their material made anew. */
async function withParts(turns: ThreadTurns, change: (part: ContentPart) => Promise<unknown>): Promise<ThreadTurns> {
  const toChanged = async (message: ThreadMessage): Promise<ThreadMessage> =>
    typeof message.context === 'object'
      ? { ...message, context: (await Promise.all(message.context.map(change))) as ContentPart[] }
      : message
  return { ...turns, messages: await Promise.all(turns.messages.map(toChanged)) }
}
