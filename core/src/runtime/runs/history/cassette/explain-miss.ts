import type { RecordedOutcome, RequestContent } from '../../../../contracts/log/cassette.ts'
import { findChanges } from '../../../../text/find-changes.ts'

/** A recorded model call. */
export interface RecordedModelCall {
  /** Absent where the recording does not hold what was sent: the call was taken over from another run. */
  content?: () => RequestContent
  site: string | undefined
  outcomes: RecordedOutcome[]
}

/** Differences that are shown; the others are counted. */
const MOST_SHOWN = 3
/** Characters of a text that are shown around the place where it differs. */
const AROUND = 40

/**
 * Why a recording does not hold a call: how it differs from the nearest one, in one sentence.
 *
 * @param same the recorded call of the same place, where there is one
 */
export function explainMiss(
  site: string,
  content: RequestContent,
  same: RecordedModelCall | undefined,
  all: readonly RecordedModelCall[],
): string {
  const nearest = same ?? findNearest(content, all)
  if (nearest?.content === undefined) return `the recording holds no model call ${site}, nor any like it`
  const changes = findChanges('', nearest.content(), content)
  const shown = changes
    .slice(0, MOST_SHOWN)
    .map(({ path, before, after }) => `${path.slice(1)}: ${differ(before, after)}`)
  const more = changes.length > MOST_SHOWN ? `, and ${changes.length - MOST_SHOWN} more` : ''
  const where = same === undefined ? `the nearest, ${nearest.site ?? 'a call that failed'},` : 'the recorded one'
  return changes.length === 0
    ? `the recording holds the model call ${site} once, and it was answered already`
    : `the recording holds no such model call ${site}: ${where} differs in ${shown.join('; ')}${more}`
}

/** The recorded call that begins most alike. */
function findNearest({ messages }: RequestContent, all: readonly RecordedModelCall[]): RecordedModelCall | undefined {
  const known = messages.map((message) => JSON.stringify(message))
  let nearest: RecordedModelCall | undefined
  let most = -1
  for (const call of all) {
    const recorded = call.content?.().messages
    const alike = recorded && known.filter((message, index) => message === JSON.stringify(recorded[index])).length
    if (alike === undefined || alike <= most) continue
    nearest = call
    most = alike
  }
  return nearest
}

function differ(before: unknown, after: unknown): string {
  if (typeof before !== 'string' || typeof after !== 'string') return `${clip(before)} was recorded, now ${clip(after)}`
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  const from = Math.max(0, at - AROUND / 2)
  const part = (text: string): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${text.length > at + AROUND ? '…' : ''}`
  return `"${part(before)}" was recorded, now "${part(after)}"`
}

function clip(value: unknown): string {
  const text = value === null ? 'nothing' : JSON.stringify(value)
  return text.length > 2 * AROUND ? `${text.slice(0, 2 * AROUND)}…` : text
}
