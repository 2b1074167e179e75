import type { Call } from '../../../text/calls/call.ts'
import { DENIES } from './language.ts'
import { toTokens } from '../evidence/tokens.ts'

/** A state in the result of a call by which it has not done what was asked, at least not yet. */
const NOT_DONE =
  /^(?:queued|pending|running|waiting.*|in[ _-]?progress|scheduled|draft|held|on[ _-]hold|partial(?:ly.*)?|rejected|failed|denied|declined|error|en[ _]attente|refusée?|rejetée?|wartend|ausstehend|in bearbeitung|abgelehnt|保留|処理中|失敗)$/i
const STATE = /^(?:status|state|statut|état|zustand|stato|状態)$/i
/** Longer arguments are content, and no names of what a call is about. */
const LONGEST_NAME = 80
const SHORTEST_TOKEN = 3

/** Longer sentences, and those beyond, are not looked at. */
const MAX_SENTENCE = 2_000
const MAX_SENTENCES = 2_000

/**
 * Sentences that tell as done what a call failed to do, was denied or has not finished, and none of its tool made good: they
 * name what only that call was about, and deny nothing.
 */
export function findMissed(sentences: readonly string[], calls: readonly Call[]): { sentence: string; call: Call }[] {
  const missed = calls
    .filter((call) => (call.status === 'failed' || call.status === 'denied' ? call.acts : stateOf(call) !== undefined))
    .filter((call) => !isMadeGood(call, calls))
    .map((call) => ({ call, names: namesOf(call, calls) }))
  if (missed.length === 0) return []
  return sentences.slice(0, MAX_SENTENCES).flatMap((sentence) => {
    if (sentence.length > MAX_SENTENCE || DENIES.test(sentence)) return []
    const said = new Set(toTokens(sentence))
    const found = missed.find(({ names }) => names.some((name) => said.has(name)))
    return found === undefined ? [] : [{ sentence, call: found.call }]
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
  const toNames = (one: Call): string[] => textsOf(one).flatMap(toTokens)
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
