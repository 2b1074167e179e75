import type { Static } from 'typebox'
import * as Type from 'typebox'
import { RunId, ThreadId } from '../ids.ts'
import { GivenTurn } from '../model/given-turn.ts'
import { ContentPart } from '../model/message.ts'
import { ByName, Count, IsoTime, Text, Texts } from '../schema.ts'
import { RunStatus } from '../words.ts'

/** A conversation: runs that know of each other, one after the other. */
export const Thread = Type.Object({
  id: Text('`thr_` + ULID, or the one that it was made with'),
  title: Type.Optional(Type.String()),
  metadata: ByName(Type.Unknown()),
  space: Type.Optional(Text('where it was begun, as of a run; absent in older ones, which every folder has')),
  owner: Type.Optional(Text('the key of a server that it belongs to; absent: nobody in particular')),
  version: Count('counts changes'),
  createdAt: IsoTime('when it was made'),
  updatedAt: IsoTime('when it was changed, or a run of it was asked for'),
})
export type Thread = Static<typeof Thread>

/** A new conversation. */
export const ThreadCreate = Type.Object(
  {
    id: Type.Optional(ThreadId),
    title: Type.Optional(Type.String({ maxLength: 1000 })),
    metadata: Type.Optional(ByName(Type.Unknown())),
  },
  { additionalProperties: false },
)
export type ThreadCreate = Static<typeof ThreadCreate>

/** What a conversation goes on from that is copied. */
export const ThreadCopy = Type.Object(
  {
    before: Type.Optional({
      ...RunId,
      description: 'a run of it: only from what was said before that; default: from all',
    }),
  },
  { additionalProperties: false },
)
export type ThreadCopy = Static<typeof ThreadCopy>

/** One message of a thread: a run's task, or its answer. */
export const ThreadMessage = Type.Object({
  role: Type.Enum(['user', 'assistant']),
  content: Type.String(),
  context: Type.Optional(
    Type.Union([Type.String(), Type.Array(ContentPart)], {
      description: 'of a user: the material that came with the task, images and PDFs too',
    }),
  ),
  files: Type.Optional(Texts('of a user: the files of the workspace that were read into `context`')),
  calls: GivenTurn.properties.calls,
  runId: Type.String(),
  summarizes: Type.Optional(
    Type.Boolean({ description: 'true where the answer of its run stands for what was said before' }),
  ),
  status: Type.Optional({ ...RunStatus, description: 'of its run; absent where that is `completed`' }),
  createdAt: IsoTime('when it was said'),
  tainted: Type.Optional(Type.Boolean({ description: 'true for an answer that rests on something untrusted' })),
})
export type ThreadMessage = Static<typeof ThreadMessage>

/** What a run was sent of its thread. */
export interface ThreadTurns {
  /** Of the newest turns, oldest first: what fits. */
  messages: readonly ThreadMessage[]
  /** What does not: whole turns, the oldest, with their tokens by estimate; and images and PDFs that are named in words. */
  leftOut: { turns: number; tokens: number; media: number }
}
