import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName, Count } from '../schema.ts'
import { RunBudget, RunOptions } from './run.ts'

/** What a fork changes, and where it begins. */
export const ForkInput = Type.Object(
  {
    atSeq: Type.Optional(
      Count('number of the last event that is taken over; default the last one before what the edits reach'),
    ),
    edits: Type.Optional(
      Type.Object(
        {
          task: Type.Optional(Type.String({ minLength: 1, maxLength: 200_000 })),
          model: Type.Optional(
            Type.String({ minLength: 1, description: '`provider/model`, of agents without their own' }),
          ),
          prompt: Type.Optional(Type.String({ description: 'another `context`' })),
          instructions: RunOptions.properties.instructions,
          topology: RunOptions.properties.topology,
          tokenBudget: RunOptions.properties.tokenBudget,
          budget: Type.Optional(
            Type.Object(RunBudget.properties, {
              additionalProperties: false,
              description: 'other hard limits; those that are not named stay',
            }),
          ),
          plan: Type.Optional(Type.Unknown({ description: 'a Plan; it says itself how its agents work together' })),
          toolResults: Type.Optional(ByName(Type.Unknown(), { description: 'other results by call id' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ForkInput = Static<typeof ForkInput>
