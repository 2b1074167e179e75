import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Change } from '../run/change.ts'
import { Milliseconds, Text, Tokens } from '../schema.ts'

/** Most changes that are kept of one tap, and most characters of each value. */
export const MOST_TAP_CHANGES = 20
export const MOST_CHANGE_CHARS = 500

/** What one tap did when its stage asked it. */
export const StageTap = Type.Object({
  plugin: Text('whose tap it is'),
  tap: Text('its name'),
  durationMs: Milliseconds('until it answered or failed'),
  answered: Type.Boolean({ description: 'whether it gave or changed the answer' }),
  tokens: Type.Optional(Tokens('that the run spent on models meanwhile; absent for none')),
  changes: Type.Optional(
    Type.Array(Change, {
      description: `what it changed in the answer of the taps before: the first ${MOST_TAP_CHANGES}; a text, and the JSON of another value, is cut at ${MOST_CHANGE_CHARS} characters`,
    }),
  ),
})
export type StageTap = Static<typeof StageTap>
