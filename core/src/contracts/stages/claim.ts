import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Count, Text } from '../schema.ts'

/** Something that an answer says, held against the run's own log; `unsupported` where the log decides nothing. */
export const Claim = Type.Object({
  text: Text('the words of the answer'),
  kind: Type.Enum(['file', 'command', 'test', 'request', 'message', 'citation', 'figure', 'quote', 'other']),
  verdict: Type.Enum(['supported', 'contradicted', 'unsupported']),
  why: Type.Optional(Text('of what is contradicted: what the evidence says instead')),
  evidence: Type.Array(
    Type.Object({
      seq: Type.Optional(Count('of the event that shows it')),
      path: Type.Optional(Text('of the file')),
      sha256: Type.Optional(Text('of what the tool left in the file')),
      exitCode: Type.Optional(Type.Integer({ description: 'of the command' })),
    }),
  ),
})
export type Claim = Static<typeof Claim>
