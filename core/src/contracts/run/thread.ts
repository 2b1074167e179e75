import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName, Count, IsoTime, Text } from '../schema.ts'

/** A conversation: runs that know of each other, one after the other. */
export const Thread = Type.Object({
  id: Text('`thr_` + ULID'),
  title: Type.Optional(Type.String()),
  metadata: ByName(Type.Unknown()),
  space: Type.Optional(Text('where it was begun, as of a run; absent in older ones, which every folder has')),
  owner: Type.Optional(Text('the key of a server that it belongs to; absent: nobody in particular')),
  version: Count('counts changes'),
  createdAt: IsoTime('when it was made'),
  updatedAt: IsoTime('when it was changed'),
})
export type Thread = Static<typeof Thread>

/** One turn of a thread. */
export const ThreadMessage = Type.Object({
  role: Type.Enum(['user', 'assistant']),
  content: Type.String(),
  runId: Type.String(),
  createdAt: IsoTime('when it was said'),
  tainted: Type.Optional(Type.Boolean({ description: 'true for an answer that rests on something untrusted' })),
})
export type ThreadMessage = Static<typeof ThreadMessage>
