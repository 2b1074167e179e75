import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text, Texts, Tokens } from '../schema.ts'
import { RiskLevel } from '../words.ts'

/** What a person asks for. */
export const Task = Type.Object({
  id: Text('stable within the run'),
  description: Type.String({
    minLength: 1,
    maxLength: 200_000,
    description: 'the request in plain language, 1 to 200 000 characters',
  }),
  riskLevel: Type.Optional(RiskLevel),
  tools: Type.Optional(Texts('ids of the tools that are at hand')),
  domain: Type.Optional(Text('a word for the field, such as `finance`; outcomes are learnt per domain')),
  contextTokens: Type.Optional(Tokens('size of the material that comes with the task')),
})
export type Task = Static<typeof Task>
