import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from '../schema.ts'

/** One difference between two values. */
export const Change = Type.Object({
  path: Text('JSON pointer to it'),
  before: Type.Unknown({ description: 'null where nothing stood there' }),
  after: Type.Unknown({ description: 'null where nothing stands there any more' }),
})
export type Change = Static<typeof Change>
