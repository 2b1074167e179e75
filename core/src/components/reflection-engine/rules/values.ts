import { holdStatement } from '../statements/hold.ts'
import type { Rule } from './rule.ts'

/** A value under its label in a structured source. */
export const values: Rule = {
  id: 'values',
  hint: 'Copy each value from the place that the tools showed.',
  hold(statement, material) {
    const evidence = holdStatement(statement, material)
    return evidence === undefined ? undefined : { verdict: 'supported', kind: 'figure', evidence }
  },
}
