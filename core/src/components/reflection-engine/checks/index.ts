import type { Check } from '../check.ts'
import { actionClaims } from './action-claims.ts'
import { answer } from './answer.ts'
import { arithmetic } from './arithmetic.ts'
import { citations } from './citations.ts'
import { constraints } from './constraints.ts'
import { coverage } from './coverage.ts'
import { format } from './format.ts'
import { links } from './links.ts'
import { numbers } from './numbers.ts'
import { placeholders } from './placeholders.ts'
import { quotes } from './quotes.ts'
import { references } from './references.ts'
import { refusal } from './refusal.ts'
import { schema } from './schema.ts'
import { sink } from './sink.ts'
import { tests } from './tests.ts'
import { toolErrors } from './tool-errors.ts'
import { truncation } from './truncation.ts'

/** The checks that every engine starts with, in the order in which they are reported. */
export const CHECKS: readonly Check[] = [
  answer,
  schema,
  format,
  constraints,
  coverage,
  arithmetic,
  numbers,
  quotes,
  links,
  references,
  citations,
  tests,
  actionClaims,
  toolErrors,
  placeholders,
  refusal,
  truncation,
  sink,
]
