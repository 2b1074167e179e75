import type { Check } from '../check.ts'
import { claimsOf } from '../claims/find-claims.ts'
import { toFinding } from './action-claims.ts'

/** A claim that tests, a build or a check pass has a command behind it that ran them after the last edit and ended with 0. */
export const tests: Check = {
  id: 'tests',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'a claim that tests or a build pass',
    cause: '3.2',
    advice: 'Run them after the last change and report what they printed.',
  },
  look(material) {
    const claims = claimsOf(material).filter(({ kind }) => kind === 'test')
    return toFinding(claims, material.calls, {
      none: 'no tool call ran it',
      hint: 'Run it after the last change and report what it printed, or do not claim it.',
    })
  },
}
