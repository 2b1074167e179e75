import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Text } from './schema.ts'

/** Something a person should know about a result that is otherwise usable. */
export const Warning = Type.Object({ code: Text('stable, snake_case'), message: Text('one sentence') })
export type Warning = Static<typeof Warning>
