import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text, Texts, Tokens } from '../schema.ts'
import { TopologyName } from '../words.ts'

/** How the soft budget is split over agents and reserves: the answer to `allocate`. */
export const Allocation = Type.Object({
  total: Tokens('the soft budget; shares + reserves = total, to the token'),
  topology: TopologyName,
  shares: Type.Array(
    Type.Object({
      agentId: Text('slot of the agent, `agent-1` leads where there is a lead'),
      role: Text('what the agent is for'),
      tokens: Tokens('input and output together'),
    }),
  ),
  reserves: Type.Object({
    coordination: Tokens('for messages between agents'),
    synthesis: Tokens('for the last answer out of many; never lent'),
    reflection: Tokens('for looking at the answer again'),
    consensus: Tokens('for votes'),
    final: Tokens('for an answer when all else is spent; never lent'),
    contingency: Tokens('what is left over, lent on demand'),
  }),
  underfunded: Type.Boolean({ description: 'true when the budget could not give every agent its minimum' }),
  explanation: Texts('why, in sentences'),
})
export type Allocation = Static<typeof Allocation>
