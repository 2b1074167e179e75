import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Usage } from '../model/usage.ts'
import { Fraction, Text } from '../schema.ts'

/** One independent answer to the task. */
export const Vote = Type.Object({
  voter: Text('who answered'),
  family: Text('model family; votes of one family are correlated'),
  answer: Type.Unknown({ description: 'the answer, of the declared kind' }),
  confidence: Type.Optional(Fraction("the voter's own")),
  rationale: Type.Optional(Text('why')),
  usage: Usage,
})
export type Vote = Static<typeof Vote>

/** Do independent answers agree? The answer to `consensus`. */
export const Consensus = Type.Object({
  decision: Type.Enum(['accept', 'abstain', 'escalate']),
  answer: Type.Optional(Type.Unknown({ description: 'the accepted answer' })),
  posterior: Fraction('belief that the leader is the most common answer'),
  confidence: Fraction('calibrated chance that the leader is right'),
  votes: Type.Array(Vote),
  effectiveVotes: Type.Number({ minimum: 0, description: 'votes corrected for correlation' }),
  clusters: Type.Array(
    Type.Object({
      canonical: Text('the answer in canonical form'),
      voters: Type.Array(Type.String()),
      weight: Type.Number({ minimum: 0 }),
    }),
  ),
  minority: Type.Array(Vote, { description: 'votes for other answers than the leader' }),
  stopReason: Type.Enum(['confident', 'unreachable', 'max', 'budget']),
  usage: Usage,
})
export type Consensus = Static<typeof Consensus>

/** How two answers are compared. */
export const AnswerKind = Type.Enum(['text', 'number', 'choice', 'boolean', 'date', 'json', 'code', 'set'])
export type AnswerKind = Static<typeof AnswerKind>
