import { arithmetic } from './arithmetic.ts'
import { deeds } from './deeds.ts'
import { lines } from './lines.ts'
import { missedCalls } from './missed-calls.ts'
import { numbers } from './numbers.ts'
import { quotes } from './quotes.ts'
import type { Rule } from './rule.ts'
import { tests } from './tests.ts'

/** The ways to hold a statement against the evidence, in the order in which they are reported. */
export const RULES: readonly Rule[] = [arithmetic, tests, deeds, missedCalls, numbers, quotes, lines]
