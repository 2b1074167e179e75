import type { StepRow } from '../../contracts/log/journal.ts'
import type { ContentPart } from '../../contracts/model/message.ts'
import type { RunOptions } from '../../contracts/run/run.ts'
import type { ThreadMessage, ThreadTurns } from '../../contracts/run/thread.ts'
import type { Store } from '../../contracts/store/store.ts'
import type { Warning } from '../../contracts/warning.ts'
import { estimateMessageTokens } from '../../text/compact-messages.ts'
import { bytesOf, inWords, isMedia, mediaOf } from '../../text/media/media.ts'
import { toTurns } from '../../text/task/turns.ts'

export const NO_TURNS: ThreadTurns = { messages: [], leftOut: { turns: 0, tokens: 0, media: 0 } }

/** Share of the soft budget, and of the model's window, that earlier turns may take of each call. */
const SHARE = 1 / 4
/** After turns were left out, the others take at most this share of that. */
const KEPT = 1 / 2

/** The same, of a run that sums them up and does nothing else. */
const SHARE_OF_SUMMARY = 3 / 4

/** Tokens that earlier turns may take. @param windowTokens undefined where nobody knows it */
export const turnTokens = (
  budgetTokens: number,
  windowTokens = Number.POSITIVE_INFINITY,
  { summarizes }: Pick<RunOptions, 'summarizes'> = {},
): number => Math.floor((summarizes ? SHARE_OF_SUMMARY : SHARE) * Math.min(budgetTokens, windowTokens))

/**
 * The newest turns that fit. Whole turns are left out, the oldest first, and where some have to be, so many that the others take
 * half: the messages begin with the same turn for a while then, and a provider finds them in its cache.
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
  return { messages: turns.slice(first).flat().map(withNote(first)), leftOut: { turns: first, tokens, media: 0 } }
}

/** Says to who reads the first message what is not there. */
const withNote =
  (left: number) =>
  (message: ThreadMessage, index: number): ThreadMessage =>
    left === 0 || index > 0
      ? message
      : { ...message, content: `[${countOf(left, 'earlier turn')} left out]\n\n${message.content}` }

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function byRun(messages: readonly ThreadMessage[]): ThreadMessage[][] {
  const turns: ThreadMessage[][] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.[0]?.runId === message.runId) last.push(message)
    else turns.push([message])
  }
  return turns
}

/**
 * The same turns, with the oldest images and files in words where one request cannot hold all.
 *
 * @param most what it can hold beside those of the run itself
 */
export function fitMedia(
  { messages, leftOut }: ThreadTurns,
  { ...most }: { count: number; bytes: number },
): ThreadTurns {
  let media = 0
  const fitted = messages.toReversed().map((message) => {
    const parts = mediaOf(message.context)
    if (parts.length === 0) return message
    most.count -= parts.length
    most.bytes -= bytesOf(parts)
    if ((most.count >= 0 && most.bytes >= 0) || typeof message.context !== 'object') return message
    media += parts.length
    return { ...message, context: inWords(message.context) }
  })
  return { messages: fitted.reverse(), leftOut: { ...leftOut, media } }
}

export function warnOfLeftOut({ messages, leftOut: { turns, tokens, media } }: ThreadTurns): Warning[] {
  const left = `left out of the conversation: the oldest ${countOf(turns, 'turn')}, ${tokens} tokens; sent: ${byRun(messages).length}`
  const named = `named in words, since one request cannot hold them: ${countOf(media, 'image or PDF')} of earlier turns`
  return [...(turns > 0 ? [left] : []), ...(media > 0 ? [named] : [])].map((message) => ({
    code: 'turns_left_out',
    message,
  }))
}

/** Under which key a run records what it was sent of its thread. */
export const THREAD_KEY = 'thread'

/**
 * What is recorded of the turns that a run is sent: the bytes of images and files stand beside the log, once for all runs.
 *
 * @param keep stores bytes, and answers their SHA-256
 */
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
