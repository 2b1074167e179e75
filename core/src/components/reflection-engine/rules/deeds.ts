import { claimsOf } from '../claims/find-claims.ts'
import type { Rule } from './rule.ts'

/** What the answer says was done has a call behind it that did it. */
export const deeds: Rule = {
  id: 'action-claims',
  trust: 0.85,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Do it with a tool before saying that it is done; what no tool did was not done.',
  },
  hint: 'Do it with a tool, or do not say that it was done.',
  hold({ text }, material) {
    const claim = claimsOf(material).find(
      ({ kind, text: said, verdict }) => kind !== 'test' && verdict !== 'supported' && text.includes(said.replace(/…$/, '')),
    )
    if (claim === undefined) return undefined
    return { verdict: 'contradicted', kind: claim.kind, evidence: claim.evidence, why: 'no tool call did it' }
  },
}
