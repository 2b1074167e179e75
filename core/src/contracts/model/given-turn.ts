import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from '../schema.ts'
import { ContentPart } from './message.ts'

/** A call of a tool of the client in an earlier turn, with what came of it. */
const EarlierCall = Type.Object(
  {
    callId: Text('pairs the call with its result'),
    tool: Text('its name, as in `clientTools`'),
    args: Type.Unknown(),
    result: Type.String(),
  },
  { additionalProperties: false },
)

/** What was said before a run, as who asks for it says. */
export const GivenTurn = Type.Object(
  {
    role: Type.Enum(['user', 'assistant']),
    content: Type.String(),
    context: Type.Optional(Type.Array(ContentPart, { maxItems: 200, description: 'of a user: images and PDFs' })),
    calls: Type.Optional(
      Type.Array(EarlierCall, { maxItems: 1_000, description: 'of an assistant: what it called after it said this' }),
    ),
  },
  { additionalProperties: false },
)
export type GivenTurn = Static<typeof GivenTurn>
