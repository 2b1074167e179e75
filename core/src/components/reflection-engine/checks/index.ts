import type { Check } from '../check.ts'
import { RULES } from '../rules/index.ts'
import { toCheck } from '../rules/judge-statements.ts'
import { answer } from './answer.ts'
import { format } from './format.ts'
import { links } from './links.ts'
import { schema } from './schema.ts'
import { truncation } from './truncation.ts'

/** The checks that every engine starts with, in the order in which they are reported. */
export const CHECKS: readonly Check[] = [answer, schema, format, links, ...RULES.map(toCheck), truncation]
