import { claimsOf } from '../claims/find-claims.ts'
import type { Rule } from './rule.ts'

/** A claim that tests, a build or a check pass has a command behind it that ran them after the last edit and ended with 0. */
export const tests: Rule = {
  id: 'tests',
  trust: 0.95,
  lesson: {
    trigger: 'a claim that tests or a build pass',
    cause: '3.2',
    advice: 'Run them after the last change and report what they printed.',
  },
  hint: 'Run it after the last change and report what it printed, or do not claim it.',
  hold({ text }, material) {
    const claim = claimsOf(material).find(
      ({ kind, text: said }) => kind === 'test' && text.includes(said.replace(/…$/, '')),
    )
    if (claim === undefined) return undefined
    const verdict = claim.verdict === 'supported' ? 'supported' : 'contradicted'
    return { verdict, kind: 'test', evidence: claim.evidence, why: 'the run of the tests shows otherwise' }
  },
}
