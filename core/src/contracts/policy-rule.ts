import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text, Texts } from './schema.ts'

/** One rule about tools. */
export const PolicyRule = Type.Object(
  {
    tool: Text('id or glob with `*`'),
    decision: Type.Enum(['allow', 'ask', 'deny'], { description: 'what becomes of a call that the rule is about' }),
    paths: Type.Optional(Texts('globs of paths it is about')),
    hosts: Type.Optional(Texts('hosts it is about; `*.example.org` for all below')),
    command: Type.Optional(Texts('program and first arguments it is about')),
  },
  { additionalProperties: false },
)
export type PolicyRule = Static<typeof PolicyRule>
