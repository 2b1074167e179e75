import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Tokens } from '../schema.ts'
import { ClientResult } from '../tool/client-tool.ts'

/** What a resumed run is given. */
export const ResumeInput = Type.Object(
  {
    input: Type.Optional(Type.Unknown({ description: 'the answer that the run waits for' })),
    results: Type.Optional(
      Type.Array(ClientResult, {
        minItems: 1,
        maxItems: 128,
        description: 'of calls of tools of the client that the run waits for, all or some',
      }),
    ),
    addBudget: Type.Optional(
      Tokens('that the soft and the hard budget are raised by; model calls so far count no more against maxSteps'),
    ),
  },
  { additionalProperties: false },
)
export type ResumeInput = Static<typeof ResumeInput>
