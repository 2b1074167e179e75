import type { Call } from '../../../text/calls/call.ts'
import { DENIES } from './language.ts'
import { toTokens } from './tokens.ts'

/** A state in the result of a call by which it has not done what was asked, at least not yet. */
const NOT_DONE =
  /^(?:queued|pending|running|waiting.*|in[ _-]?progress|scheduled|draft|held|on[ _-]hold|partial(?:ly.*)?|rejected|failed|denied|declined|error|en[ _]attente|refusée?|rejetée?|wartend|ausstehend|in bearbeitung|abgelehnt|保留|処理中|失敗)$/i
const STATE = /^(?:status|state|statut|état|zustand|stato|状態)$/i
/** Longer arguments are content, and no names of what a call is about. */
const LONGEST_NAME = 80
const SHORTEST_TOKEN = 3

/**
 * A call that failed, was denied or is still under way, that none of its tool made good, and that a sentence tells as done:
 * it names what only that call was about, and denies nothing.
 */
export function findMissedCall(sentence: string, calls: readonly Call[]): Call | undefined {
  if (DENIES.test(sentence)) return undefined
  const said = new Set(toTokens(sentence).map(({ text }) => text))
  return calls.find((call) => {
    const isMissed = call.status === 'failed' || call.status === 'denied'
    if (!(isMissed ? call.acts : stateOf(call) !== undefined) || isMadeGood(call, calls)) return false
    return namesOf(call, calls).some((name) => said.has(name))
  })
}

/** The state by which a completed call has not done what was asked. */
export function stateOf({ status, value }: Call): string | undefined {
  if (status !== 'completed' || typeof value !== 'object' || value === null) return undefined
  const state: unknown = Object.entries(value).find(([key]) => STATE.test(key))?.[1]
  return typeof state === 'string' && NOT_DONE.test(state) ? state : undefined
}

const succeeded = (call: Call): boolean => call.succeeded && stateOf(call) === undefined

/** Whether a later call of the tool did it for the same. */
function isMadeGood(call: Call, calls: readonly Call[]): boolean {
  const [first] = textsOf(call)
  return calls.some(
    (other) =>
      other.index > call.index &&
      other.tool === call.tool &&
      succeeded(other) &&
      (first === undefined || textsOf(other).includes(first)),
  )
}

/** The words by which a sentence means this call, and no other one of its tool that succeeded. */
function namesOf(call: Call, calls: readonly Call[]): string[] {
  const toNames = (one: Call): string[] => textsOf(one).flatMap((text) => toTokens(text).map((token) => token.text))
  const others = new Set(calls.filter((other) => other.tool === call.tool && succeeded(other)).flatMap(toNames))
  return toNames(call).filter((name) => name.length >= SHORTEST_TOKEN && !others.has(name))
}

function textsOf({ args }: Call): string[] {
  if (typeof args !== 'object' || args === null) return []
  return Object.values(args)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((text) => text.length < LONGEST_NAME)
}
