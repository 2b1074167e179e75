import type { Static } from 'typebox'
import * as Type from 'typebox'
import { IsoTime, Text } from '../schema.ts'

/** What a person says to a run at work. */
export const SteerInput = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 200_000, description: '1 to 200 000 characters' }) },
  { additionalProperties: false },
)
export type SteerInput = Static<typeof SteerInput>

/** The same, as the run keeps it. */
export const RunMessage = Type.Object({
  id: Text('`msg_` + ULID'),
  text: Type.String(),
  by: Text('who said it: the name of a key of a server, else `user`'),
  createdAt: IsoTime('when it was said'),
})
export type RunMessage = Static<typeof RunMessage>
