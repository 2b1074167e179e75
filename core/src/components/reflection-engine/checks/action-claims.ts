import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { type Check, type Finding, NOT_APPLICABLE, pass } from '../check.ts'
import { claimsOf } from '../claims/find-claims.ts'

/** Everything that the answer says was done has a call behind it that did it. */
export const actionClaims: Check = {
  id: 'action-claims',
  critical: true,
  trust: 0.85,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Do it with a tool before saying that it is done; what no tool did was not done.',
  },
  look(material) {
    const claims = claimsOf(material).filter(({ kind }) => kind !== 'test')
    return toFinding(claims, material.calls, {
      none: 'no tool call did it',
      hint: 'Do it with a tool, or do not say that it was done.',
    })
  },
}

/** What held claims mean for an answer: one that is not supported makes it false. */
export function toFinding(
  claims: readonly Claim[],
  calls: readonly Call[],
  { none, hint }: { none: string; hint: string },
): Finding {
  if (claims.length === 0) return NOT_APPLICABLE
  const wrong = claims.filter(({ verdict }) => verdict !== 'supported')
  if (wrong.length === 0) return { ...pass(), claims }
  const evidence = wrong.slice(0, 3).map((claim) => `"${claim.text}", but ${describe(claim, calls, none)}`)
  // The agent has heard of a denial when it happened.
  const isNew = wrong.some((claim) => callOf(claim, calls)?.status !== 'denied')
  return { result: 'fail', evidence: evidence.join('; '), hint, claims, ...(isNew ? {} : { isNew }) }
}

/** The call that shows what a claim is worth. */
function callOf({ evidence: [shown] }: Claim, calls: readonly Call[]): Call | undefined {
  return shown?.seq === undefined ? undefined : calls.find(({ seq }) => seq === shown.seq)
}

function describe(claim: Claim, calls: readonly Call[], none: string): string {
  const { evidence } = claim
  const [shown] = evidence
  const call = callOf(claim, calls)
  if (call === undefined) return shown?.path === undefined ? none : `no tool call worked on ${shown.path}`
  const later = evidence.at(-1)
  if (evidence.length > 1 && later?.path !== undefined) return `${later.path} was changed after ${call.tool} ran`
  if (call.status === 'denied') return `${call.tool} was denied: ${call.printed.slice(0, 160)}`
  if (call.exitCode !== undefined) return `${call.tool} ended with exit code ${call.exitCode}: ${call.text.slice(-200)}`
  return `${call.tool} failed: ${call.printed.slice(0, 160)}`
}
