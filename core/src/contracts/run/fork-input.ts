import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName, Count } from '../schema.ts'

/** Where a fork begins and what it changes. */
export const ForkInput = Type.Object(
  {
    atSeq: Count('number of the last event that is taken over'),
    edits: Type.Optional(
      Type.Object(
        {
          task: Type.Optional(Type.String({ minLength: 1 })),
          model: Type.Optional(Type.String({ minLength: 1 })),
          prompt: Type.Optional(Type.String({ description: 'another `context`' })),
          plan: Type.Optional(Type.Unknown()),
          toolResults: Type.Optional(ByName(Type.Unknown(), { description: 'other results by call id' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ForkInput = Static<typeof ForkInput>
