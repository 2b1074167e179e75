import type { Check } from '../check.ts'
import { RULES } from '../rules/index.ts'
import { toCheck } from '../rules/judge-statements.ts'
import { FORM } from './form.ts'

/** The checks that every engine starts with, in the order in which they are reported. */
export const CHECKS: readonly Check[] = [...FORM, ...RULES.map(toCheck)]
