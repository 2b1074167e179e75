import type { Claim } from '../../../contracts/stages/claim.ts'
import { toSentences } from '../../../text/sentences.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE } from '../check.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import { findMissedCall, stateOf } from '../told/missed-call.ts'

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
    const claims: Claim[] = []
    const evidence: string[] = []
    for (const sentence of toSentences(prose)) {
      const call = findMissedCall(sentence, calls)
      if (call === undefined) continue
      const state = stateOf(call)
      claims.push({
        text: excerpt(sentence, 200),
        kind: 'request',
        verdict: 'contradicted',
        evidence: [evidenceOf(call)],
      })
      evidence.push(
        `"${excerpt(sentence, 160)}", but ${call.tool} ${state === undefined ? `${call.status}: ${excerpt(call.printed, 160)}` : `answered "${state}"`}`,
      )
    }
    if (claims.length === 0) return NOT_APPLICABLE
    return { ...fail(evidence.slice(0, 3).join('; '), 'Do it again, or say that it was not done.'), claims }
  },
}
