import type { Call } from '../../../text/calls/call.ts'
import { excerpt } from '../check.ts'
import { findMissed, stateOf } from '../told/missed-call.ts'
import { evidenceOf, type Rule } from './rule.ts'

/** No statement tells as done what a call failed to do, was denied, or has not finished. In four languages. */
export const missedCalls: Rule = {
  id: 'missed-calls',
  trust: 0.95,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Report what failed, was denied or is still under way as that.',
  },
  hint: 'Do it again, or say that it was not done.',
  hold({ text }, { calls }) {
    const [missed] = findMissed([text], calls)
    if (missed === undefined) return undefined
    const { call } = missed
    return {
      verdict: 'contradicted',
      kind: 'request',
      evidence: [evidenceOf(call)],
      why: describe(call),
      // The agent heard of a denial when it happened.
      isNew: call.status !== 'denied',
    }
  },
}

function describe(call: Call): string {
  const state = stateOf(call)
  if (state !== undefined) return `${call.tool} answered "${state}"`
  return `${call.tool} ${call.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(call.printed, 160)}`
}
