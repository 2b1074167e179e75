import type { Check } from '../check.ts'
import { actionClaims } from './action-claims.ts'
import { answer } from './answer.ts'
import { arithmetic } from './arithmetic.ts'
import { citations } from './citations.ts'
import { format } from './format.ts'
import { links } from './links.ts'
import { missedCalls } from './missed-calls.ts'
import { numbers } from './numbers.ts'
import { quotes } from './quotes.ts'
import { schema } from './schema.ts'
import { tests } from './tests.ts'
import { truncation } from './truncation.ts'

/** The checks that every engine starts with, in the order in which they are reported. */
export const CHECKS: readonly Check[] = [
  answer,
  schema,
  format,
  arithmetic,
  numbers,
  quotes,
  links,
  citations,
  tests,
  actionClaims,
  missedCalls,
  truncation,
]
