import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { deedsOf, type Missed, stateOf } from '../evidence/deeds.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ALL, DENIES, DONE, NEGATED, PASSED } from '../told/language.ts'
import { contradict, type Rule } from './rule.ts'

const SHORTEST_TOKEN = 4
/** The key of a field for errors. */
const IS_ERROR = /^(?:errors?|failures?|failed|fehler|erreurs?)$/i

/** No statement tells as done what a call failed to do, was denied, or has not finished, and nothing made good. */
export const missedCalls: Rule = {
  id: 'missed-calls',
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Report what failed, was denied or is still under way as that.',
  },
  hold({ told, leaf }, material) {
    const { missed } = deedsOf(material)
    if (missed.length === 0) return undefined
    const tokens = toTokens(leaf === undefined ? told : String(leaf.value ?? ''))
    const found = missed.find((one) => {
      if (leaf === undefined) return tellsAll(told, tokens, one) || tellsDone(told, tokens, one)
      // A field for errors is empty though a call failed, or another one names what was not done.
      return IS_ERROR.test(leaf.path.at(-1) ?? '') ? !leaf.value : one.names.some((name) => tokens.includes(name))
    })
    return found && contradict('request', describe(found.call), found.call)
  },
}

/** "All three are closed", where three were tried and one failed. */
function tellsAll(text: string, tokens: readonly string[], { tried, call }: Missed): boolean {
  if (tried < 2 || !ALL.test(text) || NEGATED.test(text)) return false
  return tokens.includes(String(tried)) || isOfTool(call, tokens)
}

/** What the call is about, told as done; a figure means it only beside a word of its tool's name. */
function tellsDone(text: string, tokens: readonly string[], { names, call }: Missed): boolean {
  // A program that may do anything is no deed, but it can fail.
  if (DENIES.test(text) || !(PASSED.test(text) || (DONE.test(text) && !call.isOpaque))) return false
  return names.some((name) => tokens.includes(name) && (/\D/.test(name.replace('.', '')) || isOfTool(call, tokens)))
}

const isOfTool = ({ tool }: Call, tokens: readonly string[]): boolean =>
  toTokens(tool.replaceAll('_', ' ')).some((token) => token.length >= SHORTEST_TOKEN && tokens.includes(token))

function describe(call: Call): string {
  const state = stateOf(call)
  if (state !== undefined) return `${call.tool} answered "${state}"`
  return `${call.tool} ${call.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(call.printed, 160)}`
}
