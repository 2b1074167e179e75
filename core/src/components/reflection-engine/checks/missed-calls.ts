import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { toSentences } from '../../../text/sentences.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'
import { mergeEqual } from '../claims/find-claims.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import { findMissed, stateOf } from '../told/missed-call.ts'

/** No sentence tells as done what a call failed to do, was denied, or has not finished. In four languages. */
export const missedCalls: Check = {
  id: 'missed-calls',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Report what failed, was denied or is still under way as that.',
  },
  look({ calls, prose }) {
    const missed = findMissed(toSentences(prose), calls)
    if (missed.length === 0) return NOT_APPLICABLE
    const told = missed.slice(0, 3).map(({ sentence, call }) => `"${excerpt(sentence, 160)}", but ${describe(call)}`)
    const claims = missed.map(
      ({ sentence, call }): Claim => ({
        text: excerpt(sentence, 200),
        kind: 'request',
        verdict: 'contradicted',
        evidence: [evidenceOf(call)],
      }),
    )
    // The agent heard of a denial when it happened.
    const isNew = missed.some(({ call }) => call.status !== 'denied')
    return { ...fail(told.join('; '), 'Do it again, or say that it was not done.'), claims: mergeEqual(claims), isNew }
  },
}

function describe(call: Call): string {
  const state = stateOf(call)
  if (state !== undefined) return `${call.tool} answered "${state}"`
  return `${call.tool} ${call.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(call.printed, 160)}`
}
